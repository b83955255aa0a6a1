/** Statements that do not discriminate between configurations, and redundant ones. Pure. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { CritiqueFinding } from '../../../../schemas/critique.ts'
import type { Grading } from '../../../../schemas/grading.ts'

/** From this many verdicts per configuration on, "always" is more than luck. */
const enough = 3
const enoughTogether = 6

export function discriminationFindings(input: CritiqueInput): UnplacedFinding[] {
  if (input.arms === null) return []
  const facts = input.benchmark.statistics?.expectations ?? []
  return facts.flatMap((fact) => {
    if (fact.indicator !== null || fact.diagnostic || fact.candidate.total === 0 || fact.baseline.total === 0) return []
    const constant = constantFinding(input, fact, facts)
    const twin = twinFinding(input, fact)
    return [...(constant === null ? [] : [constant]), ...(twin === null ? [] : [twin])]
  })
}

function constantFinding(
  input: CritiqueInput,
  fact: StatisticsExpectation,
  facts: readonly StatisticsExpectation[],
): UnplacedFinding | null {
  const { always_passes: always, never_passes: never, eval_id, text: expectation } = fact
  if (!always && !never) return null
  const kind = always ? 'always_passes' : 'never_passes'
  const few = Math.min(fact.candidate.total, fact.baseline.total) < enough
  const total = fact.candidate.total + fact.baseline.total
  const others = facts.filter((one) => one.eval_id === eval_id && one.indicator === null)
  const tellsNothing = others.every((one) => (always ? one.always_passes : one.never_passes))
  const advice = always
    ? 'ask for something that only a good answer has, or remove it; keep it only to guard against regressions'
    : 'check that a good answer can meet it (add a reference to the case and run check --oracle); otherwise reword or remove it'
  const case_ = always
    ? 'no statement of this case differs between the arms: make its task harder, or remove the case'
    : 'no run met any statement of this case: make its task possible, or remove the case'
  return {
    kind,
    severity: few ? 'info' : 'warning',
    eval_id,
    expectation,
    message: `${always ? 'passes' : 'fails'} in every run of both arms (${rates(input, fact)})${few ? '; few runs so far' : ''}`,
    numbers: { verdicts: readArmVerdicts(input, fact), of: total, found: total },
    edit: { op: always ? 'remove' : 'reword', text: tellsNothing ? `${advice}; ${case_}` : advice },
  }
}

function twinFinding(input: CritiqueInput, fact: StatisticsExpectation): UnplacedFinding | null {
  const { redundant_with: twin, eval_id, text: expectation } = fact
  if (twin === null) return null
  const total = fact.candidate.total + fact.baseline.total
  return {
    kind: 'redundant',
    severity: total < enoughTogether ? 'info' : 'warning',
    eval_id,
    expectation,
    message: `has the same verdict as ${quoteStatement(twin)} in all ${total} runs (${rates(input, fact)})`,
    numbers: { verdicts: readArmVerdicts(input, fact), of: total, found: total },
    edit: {
      op: 'remove',
      text: `remove one of the two, or let this one test something that ${quoteStatement(twin)} does not`,
    },
  }
}

function rates(input: CritiqueInput, fact: StatisticsExpectation): string {
  return Object.entries(readArmVerdicts(input, fact))
    .map(([name, { passed, total }]) => `${name} ${passed}/${total}`)
    .join(', ')
}

export function quoteStatement(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text)
}

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

/** The counts of both configurations. */
export function readArmVerdicts(
  { arms }: CritiqueInput,
  fact: StatisticsExpectation | undefined,
): UnplacedFinding['numbers']['verdicts'] {
  if (fact === undefined) return {}
  return { [arms?.candidate ?? 'candidate']: fact.candidate, ...(arms && { [arms.baseline]: fact.baseline }) }
}

export function findExpectationFact(
  input: CritiqueInput,
  evalId: number,
  text: string,
): StatisticsExpectation | undefined {
  return input.benchmark.statistics?.expectations.find((one) => one.eval_id === evalId && one.text === text)
}
