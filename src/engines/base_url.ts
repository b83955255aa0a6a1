/** --base-url: the server of an engine, as part of its choice, and what the engine gets of it. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import type { Engine } from './engine.ts'
import { engineNamed, engineNames } from './table.ts'

/** The choice with this server; unchanged for null. Throws UserError for an engine without one, and for what is no address. */
export function withBaseUrl(choice: EngineChoice, url: string | null): EngineChoice {
  if (url === null) return choice
  const able = engineNames.filter((name) => engineNamed(name).address !== undefined).join(', ')
  if (choice.name === 'auto') throw new UserError('--base-url without an engine', `name one with --engine: ${able}`)
  if (engineNamed(choice.name).address === undefined) {
    throw new UserError(`--base-url: the engine ${choice.name} has no server that can be chosen`, `these have: ${able}`)
  }
  return { ...choice, base_url: checkedUrl(url) }
}

/** What an engine is given of the user's environment: its own variables, with the choice's server in place of theirs. */
export function credentialsOf(
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

/** An address without anything secret: it stands in plan.json. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const fix = 'give one that begins with https:// (or http://), such as http://127.0.0.1:11434/v1'
    throw new UserError(`--base-url is no web address: ${text}`, fix)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const shown = `${url.protocol}//${url.host}${url.pathname}`
    throw new UserError(
      '--base-url holds more than an address (a user, a password, ? or #)',
      `give ${shown} alone; a key goes into the environment: it must not stand in plan.json`,
    )
  }
  return text.replace(/\/+$/, '')
}
