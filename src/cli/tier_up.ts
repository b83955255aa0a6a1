/** When V8 compiles what runs often a second time, for speed: a program that lives for seconds has no use of most of that. */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode that a function runs before V8 counts a tick for it. `usual`: V8's own in Node 20. */
const budgets = { later: 600_000, usual: 66 * 1024 }

/** V8 11, of Node 20, counts so; a later one knows no such flag, and would say so at each start. */
const counts = process.versions.v8.startsWith('11.')

/** From so many runs on that were started it is no program of seconds any more. */
const many = 500

/** Called before anything is loaded. A bench of 1,000 runs from the cache takes a fifth less processor time so. Measured in docs/performance.md. */
export function compileLater(): void {
  if (counts) setFlagsFromString(`--interrupt-budget=${budgets.later}`)
}

/** For a program that lives long: a coordinator of very many runs takes a sixth less so. */
export function compileAsUsual(): void {
  if (counts) setFlagsFromString(`--interrupt-budget=${budgets.usual}`)
}

/** Gives what is to be called for each run that is started. */
export function compileForMany(): () => void {
  let started = 0
  return () => {
    started += 1
    if (started === many) compileAsUsual()
  }
}
