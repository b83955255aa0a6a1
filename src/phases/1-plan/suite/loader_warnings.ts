/** Collects the warnings of a loader; the same message at many places becomes one warning. */
import type { LoadWarning } from '../../../../schemas/suite.ts'

/** Reports a tolerated mistake at a JSON path. */
export type Warn = (at: string, message: string) => void

export interface Warnings {
  warn: Warn
  /** Ordered by first place. */
  list(): LoadWarning[]
}

export function collectWarnings(file: string): Warnings {
  const places = new Map<string, { at: string; count: number }>()
  return {
    warn(at, message) {
      const known = places.get(message)
      if (known === undefined) places.set(message, { at, count: 1 })
      else known.count += 1
    },
    list: () =>
      [...places].map(([message, { at, count }]) => ({
        file,
        at,
        message: count === 1 ? message : `${message} (here and at ${count - 1} more)`,
      })),
  }
}
