/** Which values a configuration file set: a mistake in one that is found later says so. */
import { UserError } from '../../base/error.ts'
import type { Origin } from './configure.ts'

const places = new Map<string, Set<string>>()

export function rememberOrigins(origins: ReadonlyMap<string, Origin>): void {
  for (const [key, origin] of origins) {
    if (origin.kind !== 'file') continue
    places.set(key, new Set([...(places.get(key) ?? []), `${origin.file}:${origin.line}`]))
  }
}

/** The error with file and line before its message, where that begins with a flag that one file has set. */
export function withPlace(error: unknown): unknown {
  if (!(error instanceof UserError)) return error
  const [, key = ''] = /^--([a-z][a-z-]*)/.exec(error.message) ?? []
  const [place, ...others] = places.get(key) ?? []
  if (place === undefined || others.length > 0) return error
  return new UserError(`${place}: ${error.message}`, error.fix, error.code)
}
