/** Memory of a coordinator with very many runs in flight: V8 lets garbage grow to several times what lives, unless told. */
import { setFlagsFromString } from 'node:v8'

/** Runs at once from which on memory counts for more than the time that collecting takes. */
const manyRuns = 200

/** Percent that the heap may grow between two full collections; V8 itself allows up to 300. */
const growth = 30

/** Called before the first run is started. Measured in docs/performance.md. */
export function boundGarbage(concurrency: number): void {
  if (concurrency >= manyRuns) setFlagsFromString(`--heap-growing-percent=${growth}`)
}
