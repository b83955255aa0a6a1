/** --base-url: the server of an engine, as part of the engine's choice, and the credentials with it. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import type { Engine } from '../engine.ts'
import { engineNames, findEngine } from '../table.ts'

/** The choice with this server; unchanged for null. Throws UserError for an engine whose server can't be chosen, and for an invalid URL. */
export function withBaseUrl(choice: EngineChoice, url: string | null): EngineChoice {
  if (url === null) return choice
  const able = engineNames.filter((name) => findEngine(name).address !== undefined).join(', ')
  if (choice.name === 'auto') throw new UserError('--base-url without an engine', `add --engine: ${able}`)
  if (findEngine(choice.name).address === undefined) {
    throw new UserError(`--base-url: not supported by the engine ${choice.name}`, `supported by ${able}`)
  }
  return { ...choice, base_url: checkBaseUrl(url) }
}

/** The user's variables that an engine gets: those that it names, with the choice's server in place of the user's. */
export function selectCredentials(
  engine: Engine,
  choice: Pick<EngineChoice, 'base_url'> | null,
  user: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given =
    engine.address === undefined ? user : { ...user, [engine.address]: choice?.base_url ?? user[engine.address] }
  return Object.fromEntries(
    engine.credentials.flatMap((name) => {
      const value = given[name]
      return value ? [[name, value] as const] : []
    }),
  )
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
