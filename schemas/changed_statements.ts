/** What changed between the configurations of a benchmark, over the cases that have the same statement. */

/** A statement, or a test of a script or verifier, that several cases have: its rates in both configurations. */
export interface ChangedStatement {
  kind: 'statement' | 'test'
  text: string
  /** Its cases by eval_id; at least two. */
  cases: number[]
  /** candidate − baseline. */
  effect: number
  shown: { candidate: string; baseline: string; difference: string }
}

export interface ChangedStatements {
  title: string
  /** Largest difference first; at least one. */
  rows: ChangedStatement[]
}
