// Estimates what each edit changes, from runs of versions that have different edits.

/** Each pass brings the estimates closer to the exact solution; after these they move by less than a thousandth. */
const passes = 60

/**
 * `runs`: `{ at, ids, score }`, the case, the ids of the edits that were in, and the result. Ridge regression (Hoerl and Kennard 1970) with a
 * mean for each case: an edit's effect is what its runs have above all else that is estimated, shrunk towards 0 by `editWeight` runs.
 * Solved one unknown at a time.
 */
export function estimateEffects(runs, ids, { editWeight, caseWeight }) {
  const mean = runs.reduce((sum, { score }) => sum + score, 0) / runs.length
  const rest = runs.map(({ score }) => score - mean)
  const unknown = (isIn, weight) => ({ own: runs.flatMap((run, at) => (isIn(run) ? [at] : [])), weight, value: 0 })
  const cases = [...new Set(runs.map(({ at }) => at))].map((at) => unknown((run) => run.at === at, caseWeight))
  const edits = ids.map((id) => unknown(({ ids: own }) => own.has(id), editWeight))
  const base = unknown(() => true, 0)
  for (let pass = 0; pass < passes; pass += 1) {
    for (const one of [base, ...cases, ...edits]) {
      if (one.own.length === 0) continue
      const sum = one.own.reduce((all, at) => all + rest[at], 0) + one.own.length * one.value
      const value = sum / (one.own.length + one.weight)
      for (const at of one.own) rest[at] += one.value - value
      one.value = value
    }
  }
  return new Map(ids.map((id, at) => [id, edits[at].value]))
}
