/** How V8 is set for a program that lives for seconds: it compiles less of what runs often, and collects young garbage less often. */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode that a function runs before V8 counts a tick for it. `usual`: V8's own in Node 20. */
const budgets = { later: 600_000, usual: 66 * 1024 }

/** By what factor the young generation grows, from 1 MiB to V8's own 16 MiB at most, while nearly all that is made stays. V8's is 2: seven collections where a dry run starts, one of them full, for one so. */
const growth = 16

/** V8 11, of Node 20, has both flags; a later one knows no such budget, and would say so at each start. The growth was tried there only. */
const isKnown = process.versions.v8.startsWith('11.')

/** From so many runs on that were started it is no program of seconds any more. */
const many = 500

/** Called before anything is loaded. A bench takes a sixth less processor time so, and one of 1,000 runs from the cache a fifth. Measured in docs/performance.md. */
export function setForSeconds(): void {
  if (!isKnown) return
  setFlagsFromString(`--interrupt-budget=${budgets.later}`)
  setFlagsFromString(`--semi-space-growth-factor=${growth}`)
}

/** For a program that lives long: a coordinator of very many runs takes a sixth less so. The young generation has grown by then. */
export function setAsUsual(): void {
  if (isKnown) setFlagsFromString(`--interrupt-budget=${budgets.usual}`)
}

/** Gives what is to be called for each run that is started. */
export function setForMany(): () => void {
  let started = 0
  return () => {
    started += 1
    if (started === many) setAsUsual()
  }
}
