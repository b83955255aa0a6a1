/** Claude on Amazon Bedrock. The variables are those of the AWS SDK and of Claude Code (https://code.claude.com/docs/en/amazon-bedrock). */
import { loadPeer } from '../../base/optional_dependency.ts'
import type { ClientSettings, Cloud, CloudCredentials, CloudGap, MessagesClient } from '../../engines/clouds/table.ts'

const address = 'ANTHROPIC_BEDROCK_BASE_URL'
const skipAuth = 'CLAUDE_CODE_SKIP_BEDROCK_AUTH'
const title = 'Amazon Bedrock'

/** The models of Claude Code's short names, which are pinned per cloud: https://code.claude.com/docs/en/model-config. */
export const claudeModelVariables: readonly string[] = [
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
]

function bedrockRegion(credentials: CloudCredentials): string {
  return credentials.AWS_REGION || credentials.AWS_DEFAULT_REGION || ''
}

/** Whether a gateway signs the requests. */
function isBedrockAuthSkipped(credentials: CloudCredentials): boolean {
  return readSwitch(credentials[skipAuth])
}

export function readSwitch(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value?.trim() ?? '')
}

export const bedrock: Cloud = {
  title,
  engines: ['anthropic', 'claude-code'],
  variables: [
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_PROFILE',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    address,
    skipAuth,
    'ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION',
    ...claudeModelVariables,
  ],
  address,
  keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
  server: (credentials) =>
    credentials[address] || `https://bedrock-runtime.${bedrockRegion(credentials)}.amazonaws.com`,
  findGap,
  prices: 'aws',
  // the inference profiles that serve every commercial region
  aliases: {
    sonnet: 'global.anthropic.claude-sonnet-5-5',
    opus: 'global.anthropic.claude-opus-5-5',
    haiku: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
  },
  openClient,
  claude: {
    switch: { CLAUDE_CODE_USE_BEDROCK: '1' },
    replaceable: ['AWS_BEARER_TOKEN_BEDROCK'],
    requests: [
      'POST /model/:model/invoke',
      'POST /model/:model/invoke-with-response-stream',
      'POST /model/:model/count-tokens',
      'GET /inference-profiles',
      'GET /inference-profiles/:profile',
    ],
    // with it, the AWS SDK looks for the profile instead of using the keys
    withheld: () => ['AWS_PROFILE'],
    // it also asks for the inference profiles of the account
    alsoReaches: (credentials) =>
      credentials[address] ? [] : [`https://bedrock.${bedrockRegion(credentials)}.amazonaws.com`],
    files: () => [],
  },
}

function findGap(credentials: CloudCredentials): CloudGap | null {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_PROFILE: profile } = credentials
  if (bedrockRegion(credentials) === '') {
    return { message: 'AWS_REGION is not set', fix: 'export AWS_REGION=us-east-1, or the region of your models' }
  }
  if (credentials.AWS_BEARER_TOKEN_BEDROCK || isBedrockAuthSkipped(credentials) || (id && secret)) return null
  if (id || secret) {
    const absent = id ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID'
    return { message: `${absent} is not set`, fix: `export ${absent}=…, the other half of your AWS key` }
  }
  if (profile) {
    const message = `AWS_PROFILE names the profile "${profile}" in ~/.aws, which no run can read`
    return { message, fix: `eval "$(aws configure export-credentials --profile ${profile} --format env)"` }
  }
  return {
    message: 'neither AWS_BEARER_TOKEN_BEDROCK nor AWS_ACCESS_KEY_ID is set (no run can read ~/.aws)',
    fix: 'export AWS_BEARER_TOKEN_BEDROCK=… (an API key from the Bedrock console), or eval "$(aws configure export-credentials --format env)"',
  }
}

async function openClient(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient> {
  const packages = { by: title, names: ['@anthropic-ai/bedrock-sdk'] }
  const { AnthropicBedrock } = await loadPeer(() => import('@anthropic-ai/bedrock-sdk'), packages)
  const { AWS_BEARER_TOKEN_BEDROCK: token, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = credentials
  const shared = { ...settings, awsRegion: bedrockRegion(credentials), skipAuth: isBedrockAuthSkipped(credentials) }
  // null: the client would read what is left out from the harness's environment
  if (token) return new AnthropicBedrock({ ...shared, apiKey: token.trim() })
  if (!id || !secret) return new AnthropicBedrock({ ...shared, apiKey: null })
  const awsSessionToken = credentials.AWS_SESSION_TOKEN?.trim() ?? null
  const keys = { awsAccessKey: id.trim(), awsSecretKey: secret.trim(), awsSessionToken }
  return new AnthropicBedrock({ ...shared, apiKey: null, ...keys })
}
