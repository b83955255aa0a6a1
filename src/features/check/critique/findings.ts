/** Statements that do not discriminate between configurations, redundant ones, and what judges say about the suite (eval_feedback). Pure. */
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

function quoteStatement(text: string): string {
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

interface Suggestion {
  evalId: number
  /** The statement of the suite that it is about; null: the whole case. */
  expectation: string | null
  /** Each remark once, with the number of gradings that contain it. */
  reasons: Map<string, number>
}

const mostReasons = 3

export function feedbackFindings(input: CritiqueInput): UnplacedFinding[] {
  const gradings = new Map<number, number>()
  const all = new Map<string, Suggestion>()
  for (const { eval_id, feedback, expectations } of input.gradings) {
    if (feedback === undefined) continue
    gradings.set(eval_id, (gradings.get(eval_id) ?? 0) + 1)
    for (const { assertion, reason } of feedback.suggestions) {
      if (reason.trim() === '') continue
      const texts = expectations.map(({ text }) => text)
      const expectation = assertion === undefined ? null : (matchStatement(assertion, texts) ?? null)
      const key = JSON.stringify([eval_id, expectation ?? plain(reason)])
      const known = all.get(key) ?? { evalId: eval_id, expectation, reasons: new Map<string, number>() }
      const same = [...known.reasons.keys()].find((one) => plain(one) === plain(reason)) ?? reason.trim()
      known.reasons.set(same, (known.reasons.get(same) ?? 0) + 1)
      all.set(key, known)
    }
  }
  return [...all.values()].map((one) => toFeedbackFinding(input, one, gradings.get(one.evalId) ?? 0))
}

function toFeedbackFinding(
  input: CritiqueInput,
  { evalId, expectation, reasons }: Suggestion,
  of: number,
): UnplacedFinding {
  const ranked = [...reasons].sort(([, a], [, b]) => b - a)
  const times = ranked.reduce((sum, [, count]) => sum + count, 0)
  const shown = ranked.slice(0, mostReasons).map(([reason]) => quoteStatement(reason.slice(0, 300)))
  const more = ranked.length > mostReasons ? ` and ${ranked.length - mostReasons} more` : ''
  const verdicts = expectation === null ? {} : readArmVerdicts(input, findExpectationFact(input, evalId, expectation))
  return {
    kind: 'feedback',
    severity: 'info',
    eval_id: evalId,
    expectation,
    message: `the judge remarks on it in ${Math.min(times, of)} of ${of} gradings with remarks: ${shown.join('; ')}${more}`,
    numbers: { verdicts, of, found: Math.min(times, of) },
    edit:
      expectation === null
        ? { op: 'add', text: 'add an expectation that asks for this, if a good answer should have it' }
        : { op: 'reword', text: 'if you agree with this remark, reword the statement accordingly' },
  }
}

/** A judge may quote a statement with different white space, or only a part of it. */
function matchStatement(assertion: string, texts: readonly string[]): string | undefined {
  const wanted = plain(assertion)
  const same = texts.find((text) => plain(text) === wanted)
  if (same !== undefined || wanted.length < 12) return same
  const parts = texts.filter((text) => plain(text).includes(wanted) || wanted.includes(plain(text)))
  return parts.length === 1 ? parts[0] : undefined
}

function plain(text: string): string {
  return text
    .trim()
    .replace(/[.\s]+$/, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
}
