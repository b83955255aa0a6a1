/** Estimates what each edit changes, from runs of versions that have different edits. */

export interface MixedRun {
  evalId: number
  /** The ids of the edits that the run's version had. */
  edits: ReadonlySet<string>
  /** From 0 to 1, or another amount per run such as tokens. */
  score: number
}

export interface EditEffects {
  /** Per edit id, in the unit of the scores. */
  effects: ReadonlyMap<string, number>
  /** The mean of a version without any of the edits, over the cases. */
  base: number
}

/** How strongly effects are drawn towards 0: as if each edit had this many more runs without an effect, and each case at the mean. */
const editWeight = 9
const caseWeight = 3
/** Each pass brings the estimates closer to the exact solution; after these they move by less than a thousandth. */
const passes = 60

/**
 * Ridge regression (Hoerl and Kennard 1970) with a mean for each case: an edit's effect is what its runs have above all else that is
 * estimated. Solved one unknown at a time. The weights were chosen on simulated sessions (docs/explanation/improve-simulations.md).
 */
export function estimateEffects(runs: readonly MixedRun[], ids: readonly string[]): EditEffects {
  const rest = runs.map(({ score }) => score)
  const base = createUnknown(runs, () => true, 0)
  const cases = [...new Set(runs.map(({ evalId }) => evalId))].map((evalId) =>
    createUnknown(runs, (run) => run.evalId === evalId, caseWeight),
  )
  const edits = new Map(ids.map((id) => [id, createUnknown(runs, (run) => run.edits.has(id), editWeight)]))
  for (let pass = 0; pass < passes; pass += 1) {
    for (const one of [base, ...cases, ...edits.values()]) improveEstimate(one, rest)
  }
  const meanOfCases = cases.reduce((sum, { value }) => sum + value, 0) / Math.max(1, cases.length)
  return { effects: new Map([...edits].map(([id, { value }]) => [id, value])), base: base.value + meanOfCases }
}

interface Unknown {
  /** The places of its runs. */
  own: readonly number[]
  weight: number
  value: number
}

function createUnknown(runs: readonly MixedRun[], isIn: (run: MixedRun) => boolean, weight: number): Unknown {
  return { own: runs.flatMap((run, at) => (isIn(run) ? [at] : [])), weight, value: 0 }
}

/** `rest`: of each run what the other unknowns leave over; changed in place. */
function improveEstimate(one: Unknown, rest: number[]): void {
  if (one.own.length === 0) return
  const sum = one.own.reduce((all, at) => all + (rest[at] ?? 0), 0) + one.own.length * one.value
  const value = sum / (one.own.length + one.weight)
  for (const at of one.own) rest[at] = (rest[at] ?? 0) + one.value - value
  one.value = value
}
