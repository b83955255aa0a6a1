/** Faults on demand, and how long an answer takes. */
import { fraction } from './match.ts'
import type { Fault, Latency } from './scenario.ts'

/** How often each fault was considered. */
export class FaultCounts {
  readonly #counts = new Map<Fault, number>()

  next(fault: Fault): number {
    const count = (this.#counts.get(fault) ?? 0) + 1
    this.#counts.set(fault, count)
    return count
  }
}

/** The first fault that is due for this request; null: none. A fault without every, first or after is always due. */
export function dueFault(counts: FaultCounts, faults: readonly (Fault | undefined)[]): Fault | null {
  const due = faults.filter((fault) => fault !== undefined).filter((fault) => isDue(fault, counts.next(fault)))
  return due[0] ?? null
}

function isDue(fault: Fault, count: number): boolean {
  if (fault.every !== undefined && count % fault.every !== 0) return false
  if (fault.first !== undefined && count > fault.first) return false
  return fault.after === undefined || count > fault.after
}

/** Milliseconds; `text` decides where there is chance. */
export function latencyOf(latency: Latency | undefined, text: string): number {
  if (latency === undefined) return 0
  if (typeof latency === 'number') return latency
  const [a, b] = [fraction(`${text} a`), fraction(`${text} b`)]
  if ('uniform' in latency) return latency.uniform[0] + a * (latency.uniform[1] - latency.uniform[0])
  const normal = Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b)
  return latency.lognormal.median * Math.exp(latency.lognormal.sigma * normal)
}
