/** The interface of a cloud: another way to a provider's models, with an address and credentials of its own. */
import type { CliSettings } from './claude_settings.ts'

export type CloudCredentials = Readonly<Record<string, string>>

/** What the user must do before a run on the cloud can start. */
export interface CloudGap {
  message: string
  fix: string
}

export interface Cloud {
  /** As people know it. */
  title: string
  /** The engines that reach it; a judge that names only the cloud uses the first. */
  engines: readonly string[]
  /** Names of the user's variables that its runs get, keys included. */
  variables: readonly string[]
  /** The variable with the address of its server. */
  address: string
  /** The variables with keys, the first that is set is used. */
  keys: readonly string[]
  /** The base URL for requests; it may be incomplete as long as `findGap` returns something. */
  server(credentials: CloudCredentials): string
  /** What is missing or can't work; null: nothing. */
  findGap(credentials: CloudCredentials): CloudGap | null
  /** The provider's id in the list of prices. */
  prices: string
  /** Model ids by short name, for the SDK engines. */
  aliases: Readonly<Record<string, string>>
  /** npm packages that the SDK engine needs; empty: none. */
  packages: readonly string[]
  /** How Claude Code uses it; absent: it can't. */
  claude?: CliSettings
}
