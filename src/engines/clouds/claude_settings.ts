/** The environment variables that make Claude Code use a cloud. */
import type { AllowedRequest } from '../../base/credential_proxy/allowed_requests.ts'

export interface CliSettings {
  /** Set in its environment. */
  switch: Readonly<Record<string, string>>
  /** The keys that a proxy can put into its requests, so that it gets placeholders. Signing keys can't be replaced. */
  replaceable: readonly string[]
  /** What it sends with them, below the cloud's base URL. */
  requests: readonly AllowedRequest[]
  /** Variables that it must not get: they contradict others, or name files that it can't read. */
  withheld(credentials: Readonly<Record<string, string>>): readonly string[]
  /** Further URLs that it needs, such as a token endpoint. */
  alsoReaches(credentials: Readonly<Record<string, string>>): readonly string[]
  /** The user's files that it reads. */
  files(credentials: Readonly<Record<string, string>>): readonly string[]
}

/** The models of Claude Code's short names, which are pinned per cloud: https://code.claude.com/docs/en/model-config. */
export const claudeModelVariables: readonly string[] = [
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
]
