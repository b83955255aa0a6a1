/** What a critique of a suite is made from: a benchmark, and what its judges said beside their verdicts. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { CritiqueFinding } from '../../../../schemas/critique.ts'
import type { Grading } from '../../../../schemas/grading.ts'

export interface CritiqueInput {
  benchmark: Pick<Benchmark, 'runs' | 'excluded_runs' | 'statistics'>
  /** Configuration names; null: one arm. */
  arms: { candidate: string; baseline: string } | null
  gradings: readonly SaidOfRun[]
}

/** What a run's grading says beside its verdicts, and the verdicts of the same transcript graded again. */
export interface SaidOfRun {
  eval_id: number
  eval_name: string
  feedback: Grading['eval_feedback']
  again: readonly Pick<Grading, 'expectations'>[]
  /** The verdicts that count. */
  expectations: Grading['expectations']
}

/** Without the place in the suite, which the numbers know nothing of. */
export type Found = Omit<CritiqueFinding, 'file' | 'at' | 'eval_name'>

export type Fact = StatisticsExpectation

/** The rates of both arms. */
export function verdictsOf({ arms }: CritiqueInput, fact: Fact | undefined): Found['numbers']['verdicts'] {
  if (fact === undefined) return {}
  return { [arms?.candidate ?? 'candidate']: fact.candidate, ...(arms && { [arms.baseline]: fact.baseline }) }
}

export function factOf(input: CritiqueInput, evalId: number, text: string): Fact | undefined {
  return input.benchmark.statistics?.expectations.find((one) => one.eval_id === evalId && one.text === text)
}
