/** Which decisions of a judge are shown to people: some of each verdict in each arm. */
import { sha256 } from '../base/json.ts'
import type { Decision } from './audited.ts'

export interface AuditSample {
  /** Of the decisions of each verdict in each arm; above 0, at most 1. */
  share: number
  seed: number
}

/** What nobody chose otherwise: a tenth. */
export const usualSample: AuditSample = { share: 0.1, seed: 1 }

/** Equal decisions once. */
export function distinct(decisions: readonly Decision[]): Decision[] {
  return [...new Map(decisions.map((one) => [one.id, one])).values()]
}

/** So many of each verdict in each arm, at least one; which ones is drawn by the seed, and a larger share adds to them. */
export function sampleOf(decisions: readonly Decision[], { share, seed }: AuditSample): Decision[] {
  const strata = new Map<string, Decision[]>()
  for (const one of decisions) {
    const name = `${one.configuration}/${one.graded.passed}`
    strata.set(name, [...(strata.get(name) ?? []), one])
  }
  const drawn = new Map(decisions.map((one) => [one.id, sha256(`${seed}/${one.id}`)]))
  const order = (a: Decision, b: Decision) => ((drawn.get(a.id) ?? '') < (drawn.get(b.id) ?? '') ? -1 : 1)
  const chosen = [...strata.values()].flatMap((own) =>
    own.sort(order).slice(0, Math.max(1, Math.ceil(own.length * share))),
  )
  return chosen.sort(order)
}
