/** The input of a suite critique: a benchmark, and the remarks of its judges next to their verdicts. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { CritiqueFinding } from '../../../../schemas/critique.ts'
import type { Grading } from '../../../../schemas/grading.ts'

export interface CritiqueInput {
  benchmark: Pick<Benchmark, 'runs' | 'excluded_runs' | 'statistics'>
  /** Configuration names; null: only one. */
  arms: { candidate: string; baseline: string } | null
  gradings: readonly RunRemarks[]
}

/** The remarks in a run's grading, and the verdicts of repeated gradings of its transcript. */
export interface RunRemarks {
  eval_id: number
  eval_name: string
  feedback: Grading['eval_feedback']
  again: readonly Pick<Grading, 'expectations'>[]
  /** The verdicts that count. */
  expectations: Grading['expectations']
}

/** Without the location in the suite, which is not known from the numbers. */
export type UnplacedFinding = Omit<CritiqueFinding, 'file' | 'at' | 'eval_name'>

export type ExpectationFact = StatisticsExpectation

/** The counts of both configurations. */
export function readArmVerdicts(
  { arms }: CritiqueInput,
  fact: ExpectationFact | undefined,
): UnplacedFinding['numbers']['verdicts'] {
  if (fact === undefined) return {}
  return { [arms?.candidate ?? 'candidate']: fact.candidate, ...(arms && { [arms.baseline]: fact.baseline }) }
}

export function findExpectationFact(input: CritiqueInput, evalId: number, text: string): ExpectationFact | undefined {
  return input.benchmark.statistics?.expectations.find((one) => one.eval_id === evalId && one.text === text)
}
