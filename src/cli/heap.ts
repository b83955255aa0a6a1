/** Memory of a coordinator of very many runs: V8 lets garbage grow to several times what lives, unless told. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FlowEvent } from '../../schemas/flow_event.ts'

/** From which sizes on memory counts for more than the time that collecting takes: runs at once, runs planned. */
const many = { atOnce: 200, planned: 5000 }

/** Percent that the heap may grow between two full collections; V8 itself allows up to 300. */
const growth = { atOnce: 30, planned: 10 }

/** Called before the first run is started. Measured in docs/performance.md, as is all of this. */
export function boundGarbage(atOnce: number): void {
  if (atOnce >= many.atOnce) bound(growth.atOnce)
}

/** Hears of what a benchmark does. What very many runs left behind is collected before the reports need as much again. */
export function boundedByPlan(): (event: FlowEvent) => void {
  let open = 0
  return (event) => {
    if (event.type === 'plan_ready' && event.runs >= many.planned) {
      open = event.runs - event.done
      bound(growth.planned)
      collect() // the bound counts from a collection on, and V8 leaves the first one until far later
      return
    }
    const ended = event.type === 'run_finished' ? 1 : event.type === 'runs_reused' ? event.runs : 0
    if (open === 0 || ended === 0) return
    open = Math.max(0, open - ended)
    if (open === 0) collect()
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
