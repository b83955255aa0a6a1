/** --base-url: the server of an engine, as part of the engine's choice, and the credentials with it. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { unbracketedHost } from '../../base/credential_proxy/upstream.ts'
import { UserError } from '../../base/errors/error.ts'
import { isLoopback } from '../../base/sandbox/network_routes.ts'
import { cloudOfModel, splitCloud } from '../clouds/table.ts'
import type { Engine } from '../engine.ts'
import { findEngine, listEngineNames } from '../table.ts'

/** The choice with this server; unchanged for null. Throws UserError for an engine whose server can't be chosen, and for an invalid URL. */
export function withBaseUrl(choice: EngineChoice, url: string | null): EngineChoice {
  if (url === null) return choice
  const able = listEngineNames()
    .filter((name) => findEngine(name).address !== undefined)
    .join(', ')
  if (choice.name === 'auto') throw new UserError('--base-url without an engine', `add --engine: ${able}`)
  if (findAddressVariable(findEngine(choice.name), choice) === undefined) {
    throw new UserError(`--base-url: not supported by the engine ${choice.name}`, `supported by ${able}`)
  }
  return { ...choice, base_url: checkBaseUrl(url) }
}

type ServedChoice = { base_url?: string | undefined; model?: string | null } | null

/** The cloud that a choice names, if the engine reaches it; null: none. */
function findChosenCloud(engine: Engine, choice: ServedChoice) {
  const cloud = cloudOfModel(choice?.model)
  return cloud?.engines.includes(engine.name) ? cloud : null
}

/** The variable with the address of the server: the cloud's if the choice names one. undefined: its server can't be chosen. */
export function findAddressVariable(engine: Engine, choice: ServedChoice): string | undefined {
  return findChosenCloud(engine, choice)?.address ?? engine.address
}

/** Whether --base-url applies to both choices: they use the same engine on the same cloud. */
export function sharesServer(one: EngineChoice, other: EngineChoice): boolean {
  return one.name === other.name && splitCloud(one.model).cloud === splitCloud(other.model).cloud
}

/** Names of the variables that an engine gets. On a cloud these are the cloud's and, of the engine's own, the program's. */
export function listCredentials(engine: Engine, choice: ServedChoice): readonly string[] {
  const cloud = findChosenCloud(engine, choice)
  if (cloud === null) return engine.credentials
  return [...cloud.variables, ...engine.credentials.filter((name) => name.startsWith('WHETSTONE_'))]
}

/** The user's variables that an engine gets, with the choice's server in place of the user's. */
export function selectCredentials(
  engine: Engine,
  choice: ServedChoice,
  user: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const address = findAddressVariable(engine, choice)
  const url = address === undefined ? undefined : (choice?.base_url ?? user[address])
  const given = address === undefined ? user : { ...user, [address]: url }
  const names = listCredentials(engine, choice)
  const found = names.flatMap((name) => (given[name] ? [[name, given[name]] as const] : []))
  const mayLackKey = choice !== null && engine.lacksTools !== undefined && isOnThisMachine(url)
  const [key] = mayLackKey && found.length === 1 ? names : []
  return Object.fromEntries(key?.endsWith('_KEY') ? [...found, [key, noKey] as const] : found)
}

/** What a client sends to a server of this machine, which asks for no key, because it must send one. */
const noKey = 'none'

function isOnThisMachine(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && isLoopback(unbracketedHost(new URL(url)))
}

/** The address without trailing slashes. Throws UserError if it could contain a secret, because it is written to plan.json. */
function checkBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const fix = 'use a URL such as http://127.0.0.1:11434/v1'
    throw new UserError(`--base-url: expected an http(s) URL, got "${text}"`, fix)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const shown = `${url.protocol}//${url.host}${url.pathname}`
    throw new UserError(
      '--base-url contains more than an address (a user, a password, ? or #)',
      `pass only ${shown}; put a key into the environment, because plan.json records this address`,
    )
  }
  return text.replace(/\/+$/, '')
}
