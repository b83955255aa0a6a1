/** Memory of a coordinator of very many runs: V8 lets garbage grow to several times what lives, unless told. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** From which sizes on memory counts for more than the time that collecting takes: runs at once, runs planned. */
const many = { atOnce: 200, planned: 5000 }

/** Percent that the heap may grow between two full collections; V8 itself allows up to 300. */
const growth = { atOnce: 30, planned: 10 }

/** Called with what is known before the first run is started: runs at once, or runs planned. Measured in docs/performance.md. */
export function boundGarbage(known: { atOnce: number } | { planned: number }): void {
  if ('atOnce' in known) {
    if (known.atOnce >= many.atOnce) bound(growth.atOnce)
  } else if (known.planned >= many.planned) {
    bound(growth.planned)
    collect() // the bound counts from a collection on, and V8 leaves the first one until far later
  }
}

function bound(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** A full collection at once: Node has no other way to it in a process that was started without the flag. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (typeof gc === 'function') gc()
}
