/** Splits queries into training and test: as the set says, else at random within each label. Pure. */

export interface SplitQuery {
  query_id: number
  should_trigger: boolean
  split: 'train' | 'test' | null
}

export interface QuerySplit {
  by: 'set' | 'draw'
  /** query_id, ascending. */
  train: number[]
  test: number[]
}

/** The share of test queries, as in skill-creator. */
const holdout = 0.4

/** `random`: uniform in [0, 1). A label with two or more queries has at least one on each side. */
export function splitQueries(queries: readonly SplitQuery[], random: () => number): QuerySplit {
  const ids = (of: readonly SplitQuery[]) => of.map(({ query_id }) => query_id).sort((a, b) => a - b)
  const said = queries.filter(({ split }) => split !== null)
  if (said.length > 0) {
    const test = queries.filter(({ split }) => split === 'test')
    // queries that the set does not assign are for training
    return { by: 'set', train: ids(queries.filter(({ split }) => split !== 'test')), test: ids(test) }
  }
  const test = [true, false].flatMap((label) => {
    const own = queries.filter(({ should_trigger }) => should_trigger === label)
    const kept = own.length < 2 ? 0 : Math.min(own.length - 1, Math.max(1, Math.round(own.length * holdout)))
    const drawn = own.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at)
    return drawn.slice(0, kept).map(({ one }) => one)
  })
  const held = new Set(ids(test))
  return { by: 'draw', train: ids(queries.filter(({ query_id }) => !held.has(query_id))), test: [...held] }
}
