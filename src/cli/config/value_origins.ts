/** Remembers which values a configuration file set, so that later errors name its line. */
import { UserError } from '../../base/errors/error.ts'

const places = new Map<string, Set<string>>()

export function rememberOrigins(origins: ReadonlyMap<string, Origin>): void {
  for (const [key, origin] of origins) {
    if (origin.kind !== 'file') continue
    places.set(key, new Set([...(places.get(key) ?? []), `${origin.file}:${origin.line}`]))
  }
}

/** Call before each command line: where several run in one process, none names the files of another. */
export function forgetOrigins(): void {
  places.clear()
}

export function isSetByFile(key: string): boolean {
  return places.has(key)
}

/** Adds file and line before the message if it starts with a flag that one file has set. */
export function withPlace(error: unknown): unknown {
  if (!(error instanceof UserError)) return error
  const [, key = ''] = /^--([a-z][a-z-]*)/.exec(error.message) ?? []
  const [place, ...others] = places.get(key) ?? []
  if (place === undefined || others.length > 0) return error
  return new UserError(`${place}: ${error.message}`, error.fix, error.code)
}

/** Where a value came from; suite: the suite's value applies, else the default. */
export type Origin =
  | { kind: 'flag' }
  /** `unconfirmed`: it widens something, and the user has not confirmed it. */
  | { kind: 'file'; file: string; line: number; unconfirmed?: true }
  | { kind: 'default' }
  | { kind: 'suite' }
