/** When V8 compiles what runs often a second time, for speed: a program that lives for seconds has no use of most of that. */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode that a function runs before V8 counts a tick for it; its own are 66 KB in Node 20. */
const budget = 600_000

/**
 * Called before anything is loaded. A bench of 1,000 runs from the cache takes a fifth less processor time so; what runs for
 * minutes is compiled as well, a moment later. Measured in docs/performance.md.
 */
export function compileLater(): void {
  setFlagsFromString(`--interrupt-budget=${budget}`)
}
