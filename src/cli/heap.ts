/** Memory of a coordinator of very many runs: V8 lets garbage grow to several times what lives, unless told. */
import { setFlagsFromString } from 'node:v8'

/** From which sizes on memory counts for more than the time that collecting takes: runs at once, runs planned. */
const many = { atOnce: 200, planned: 5000 }

/** Percent that the heap may grow between two full collections; V8 itself allows up to 300. */
const growth = 30

/** Called with what is known before the first run is started: runs at once, or runs planned. Measured in docs/performance.md. */
export function boundGarbage(known: { atOnce: number } | { planned: number }): void {
  const isMany = 'atOnce' in known ? known.atOnce >= many.atOnce : known.planned >= many.planned
  if (isMany) setFlagsFromString(`--heap-growing-percent=${growth}`)
}
