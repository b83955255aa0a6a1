/** Samples a judge's decisions for people to review: some of each verdict in each configuration. */
import { sha256 } from '../../base/json/json.ts'

export interface AuditSample {
  /** Share of the decisions per verdict and configuration; above 0, at most 1. */
  share: number
  seed: number
}

/** The default: a tenth. */
export const usualSample: AuditSample = { share: 0.1, seed: 1 }

/** What a sample is drawn by. */
interface Drawable {
  id: string
  configuration: string
  graded: { passed: boolean }
}

/** Equal decisions once. */
export function uniqueDecisions<D extends Drawable>(decisions: readonly D[]): D[] {
  return [...new Map(decisions.map((one) => [one.id, one])).values()]
}

/** The share of each verdict in each configuration, at least one; the seed picks them, and a larger share only adds. */
export function sampleDecisions<D extends Drawable>(decisions: readonly D[], { share, seed }: AuditSample): D[] {
  const strata = new Map<string, D[]>()
  for (const one of decisions) {
    const name = `${one.configuration}/${one.graded.passed}`
    const own = strata.get(name)
    if (own === undefined) strata.set(name, [one])
    else own.push(one)
  }
  const drawn = new Map(decisions.map((one) => [one.id, sha256(`${seed}/${one.id}`)]))
  const order = (a: D, b: D) => ((drawn.get(a.id) ?? '') < (drawn.get(b.id) ?? '') ? -1 : 1)
  const chosen = [...strata.values()].flatMap((own) =>
    own.sort(order).slice(0, Math.max(1, Math.ceil(own.length * share))),
  )
  return chosen.sort(order)
}
