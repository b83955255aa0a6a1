/** Which queries a proposer may see, and which are kept for the end: as the set says, else drawn, each label by itself. Pure. */

export interface SplitQuery {
  query_id: number
  should_trigger: boolean
  split: 'train' | 'test' | null
}

export interface Split {
  by: 'set' | 'draw'
  /** Of query_id, rising. */
  train: number[]
  test: number[]
}

/** The share that is kept for the end, as skill-creator has it. */
const holdout = 0.4

/** `random`: uniform in [0, 1). Of each label at least one goes to either side, where there are two. */
export function splitQueries(queries: readonly SplitQuery[], random: () => number): Split {
  const ids = (of: readonly SplitQuery[]) => of.map(({ query_id }) => query_id).sort((a, b) => a - b)
  const said = queries.filter(({ split }) => split !== null)
  if (said.length > 0) {
    const test = queries.filter(({ split }) => split === 'test')
    // what the set does not place may be looked at
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
