/** The forms of well-known keys and tokens: one table for `check`, which reports them, and for redaction, which removes them. */

export interface SecretForm {
  /** Name in the replacement: [redacted:NAME]. */
  name: string
  /** Name in messages. */
  what: string
  form: RegExp
  /** The beginning of the text found that may stay. */
  keep?: RegExp
}

/** Part of each placeholder that replaces a key for an agent. */
export const placeholderWord = 'placeholder-'

/** A placeholder, which is worthless after its run; it may begin as a key does. */
export const placeholderForm: SecretForm = {
  name: 'placeholder',
  what: 'a placeholder of Whetstone',
  form: /(?:\bsk-[a-z0-9-]{0,12})?placeholder-[0-9a-f]{64}/,
}

/** Each begins with a fixed text, so that a search is quick. */
export const keyForms: readonly SecretForm[] = [
  { name: 'anthropic-key', what: 'an Anthropic key', form: /\bsk-ant-[A-Za-z0-9_-]{20,}/ },
  { name: 'openai-key', what: 'an OpenAI key', form: /\bsk-(?:proj-|svcacct-)?(?!ant-)[A-Za-z0-9_-]{32,}/ },
  { name: 'aws-key-id', what: 'an AWS access key id', form: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  {
    name: 'github-token',
    what: 'a GitHub token',
    form: /\b(?:gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/,
  },
  { name: 'gitlab-token', what: 'a GitLab token', form: /\bglpat-[A-Za-z0-9_-]{20,}/ },
  { name: 'slack-token', what: 'a Slack token', form: /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/ },
  {
    name: 'slack-webhook',
    what: 'a Slack webhook',
    form: /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z][A-Z0-9]{7,}\/[A-Za-z0-9]{7,}\/[A-Za-z0-9/]{20,}/,
  },
  { name: 'google-key', what: 'a Google API key', form: /\bAIza[A-Za-z0-9_-]{35}\b/ },
  { name: 'stripe-key', what: 'a Stripe key', form: /\b[rs]k_live_[A-Za-z0-9]{20,}/ },
  { name: 'npm-token', what: 'an npm token', form: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { name: 'pypi-token', what: 'a PyPI token', form: /\bpypi-AgE[A-Za-z0-9_-]{50,}/ },
  { name: 'docker-token', what: 'a Docker token', form: /\bdckr_[op]at_[A-Za-z0-9_-]{24,}/ },
  { name: 'huggingface-token', what: 'a Hugging Face token', form: /\bhf_[A-Za-z0-9]{30,}/ },
  { name: 'groq-key', what: 'a Groq key', form: /\bgsk_[A-Za-z0-9]{48,}/ },
  { name: 'xai-key', what: 'an xAI key', form: /\bxai-[A-Za-z0-9]{64,}/ },
  { name: 'replicate-token', what: 'a Replicate token', form: /\br8_[A-Za-z0-9]{37,}/ },
  { name: 'perplexity-key', what: 'a Perplexity key', form: /\bpplx-[A-Za-z0-9]{40,}/ },
  { name: 'databricks-token', what: 'a Databricks token', form: /\bdapi[0-9a-f]{32}\b/ },
  { name: 'digitalocean-token', what: 'a DigitalOcean token', form: /\bdo[opr]_v1_[0-9a-f]{64}\b/ },
  { name: 'sendgrid-key', what: 'a SendGrid key', form: /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b/ },
  {
    name: 'telegram-token',
    what: 'a token of a Telegram bot',
    form: /(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/,
  },
  { name: 'linear-key', what: 'a Linear key', form: /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/ },
]

/** Forms for redaction only: whole blocks, and text that is harmless in the files of a skill. */
export const redactionForms: readonly SecretForm[] = [
  {
    name: 'private-key',
    what: 'a private key',
    form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|$)/,
  },
  {
    name: 'web-token',
    what: 'a JSON web token',
    form: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  },
  {
    name: 'bearer-token',
    what: 'a bearer token',
    form: /\b[Bb]earer\s{1,4}[A-Za-z0-9._~+/-]{16,}=*/,
    keep: /^[Bb]earer\s+/,
  },
  {
    name: 'password',
    what: 'a password in an address',
    form: /:\/\/[^\s/:@<>{}$"']{0,100}:[^\s/:@<>{}$"']{8,200}(?=@[\w.[-])/,
    keep: /^:\/\/[^:]*:/,
  },
]
