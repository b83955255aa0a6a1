/** Clouds: other ways to a provider's models, with addresses and credentials of their own. A model's name chooses one: `bedrock:MODEL`. */
import type Anthropic from '@anthropic-ai/sdk'
import type { AllowedRequest } from '../../base/credential_proxy/allowed_requests.ts'
import type { Probe } from '../engine.ts'

export type CloudCredentials = Readonly<Record<string, string>>

/** What the user must do before a run on the cloud can start. */
export interface CloudGap {
  message: string
  fix: string
}

/** The environment variables that make Claude Code use a cloud, and what it does then. */
interface ClaudeSettings {
  /** Set in its environment. */
  switch: Readonly<Record<string, string>>
  /** The keys that a proxy can put into its requests, so that it gets placeholders. Signing keys can't be replaced. */
  replaceable: readonly string[]
  /** What it sends with them, below the cloud's base URL. */
  requests: readonly AllowedRequest[]
  /** Variables that it must not get: they contradict others, or name files that it can't read. */
  withheld(credentials: CloudCredentials): readonly string[]
  /** Further URLs that it needs, such as a token endpoint. */
  alsoReaches(credentials: CloudCredentials): readonly string[]
  files(credentials: CloudCredentials): readonly string[]
}

/** What a conversation needs of a client; the clouds' clients have no other part of the API in common. */
export interface MessagesClient {
  readonly baseURL: string
  readonly messages: Pick<Anthropic['messages'], 'stream'>
}

/** Settings that all clients share: the address, and how requests are sent. */
export type ClientSettings = Pick<
  ConstructorParameters<typeof Anthropic>[0] & object,
  'baseURL' | 'maxRetries' | 'timeout' | 'fetch' | 'logLevel'
>

export interface CloudQuestion {
  url: string
  /** The cloud's own name of it. */
  model: string
  /** The first of its keys, without spaces around it. */
  key: string
  /** The variables that hold the key and the address, for messages. */
  names: { key: string; address: string }
  credentials: CloudCredentials
  signal: AbortSignal
}

export interface Cloud {
  title: string
  /** The engines that reach it; a judge that names only the cloud uses the first. */
  engines: readonly string[]
  /** Names of the user's variables that its runs get, keys included. */
  variables: readonly string[]
  address: string
  /** The variables with keys, the first that is set is used. */
  keys: readonly string[]
  keyIsFile?: true
  /** The base URL for requests; it may be incomplete as long as `findGap` returns something. */
  server(credentials: CloudCredentials): string
  /** What is missing or can't work; null: nothing. */
  findGap(credentials: CloudCredentials): CloudGap | null
  /** Asks its server, without cost, whether it takes key and model. null: nothing speaks against a run. Absent: it can't be asked. */
  ask?(question: CloudQuestion): Promise<Extract<Probe, { ok: false }> | null>
  /** The provider's id in the list of prices. */
  prices: string
  /** Model ids by short name, for the SDK engines. */
  aliases: Readonly<Record<string, string>>
  /**
   * A client of the SDK for the engine anthropic, with keys and address from `credentials` alone; absent: it can't reach the cloud. Rejects
   * with UserError if the cloud's package is not installed.
   */
  openClient?(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient>
  /** The variable with the version of a dated API of Azure; absent: there is none. */
  versionVariable?: string
  /** The engine openai uses its API for chats. */
  isChat?: true
  /** How Claude Code uses it; absent: it can't. */
  claude?: ClaudeSettings
}

const clouds: Record<string, Cloud> = {}

/** Adds those of features; again changes nothing. */
export function addClouds(more: Readonly<Record<string, Cloud>>): void {
  Object.assign(clouds, more)
}

export function listCloudNames(): string[] {
  return Object.keys(clouds)
}

export function isCloudName(name: string): boolean {
  return Object.hasOwn(clouds, name)
}

export function findCloud(name: string): Cloud {
  const cloud = isCloudName(name) ? clouds[name] : undefined
  if (cloud === undefined) throw new Error(`there is no cloud named ${name}`)
  return cloud
}

/** A model's name in two: the cloud before its first colon (null: the provider itself), and the cloud's own name of the model. */
export function splitCloud(model: string | null): { cloud: string | null; model: string | null } {
  const [, name = '', rest = ''] = /^([a-z]+):(.+)$/.exec(model ?? '') ?? []
  return isCloudName(name) ? { cloud: name, model: rest } : { cloud: null, model }
}

/** The cloud that a model's name chooses; null: none. */
export function cloudOfModel(model: string | null | undefined): Cloud | null {
  const { cloud } = splitCloud(model ?? null)
  return cloud === null ? null : findCloud(cloud)
}

/** A client of a cloud for the engine anthropic. Rejects with UserError if the cloud's package is not installed. */
export async function openCloudClient(
  name: string,
  credentials: CloudCredentials,
  settings: Omit<ClientSettings, 'baseURL'>,
): Promise<MessagesClient> {
  const { openClient, server } = findCloud(name)
  if (openClient === undefined) throw new Error(`the engine anthropic has no client for ${name}`)
  return await openClient(credentials, { ...settings, baseURL: server(credentials) })
}
