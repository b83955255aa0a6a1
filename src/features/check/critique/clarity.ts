/** Statements that judges decide inconsistently: split votes, changed verdicts, missing quotes, no verdict. Pure. */
import type { Check } from '../../../../schemas/check.ts'
import type { CritiqueKind, SuiteEdit } from '../../../../schemas/critique.ts'
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import { type CritiqueInput, findExpectationFact, readArmVerdicts, type UnplacedFinding } from './findings.ts'

/** One statement of a case, over its runs. */
interface JudgedStatement {
  evalId: number
  text: string
  /** Verdicts that a judge gave. */
  judged: GradedExpectation[]
  /** Runs in which no judge could decide it. */
  undecided: number
  /** Repeated gradings of the same transcripts, and those with another verdict. */
  again: number
  turned: number
}

export function clarityFindings(input: CritiqueInput): UnplacedFinding[] {
  return [...collectStatements(input).values()].flatMap((seen) =>
    [findVoteDisagreement(seen), findTurnedVerdicts(seen), findMissingQuoteRate(seen), findUndecidedRate(seen)].flatMap(
      (one) => (one === null ? [] : toClarityFinding(input, seen, one)),
    ),
  )
}

interface Unclear {
  kind: CritiqueKind
  message: string
  of: number
  found: number
  agreement?: number
}

function toClarityFinding(
  input: CritiqueInput,
  { evalId, text }: JudgedStatement,
  { kind, message, ...numbers }: Unclear,
): UnplacedFinding {
  const verdicts = readArmVerdicts(input, findExpectationFact(input, evalId, text))
  return {
    ...{ kind, message },
    severity: 'warning',
    eval_id: evalId,
    expectation: text,
    numbers: { verdicts, ...numbers },
    edit: suggestClearerStatement(text, kind),
  }
}

function findVoteDisagreement({ judged }: JudgedStatement): Unclear | null {
  const voted = judged.flatMap(({ votes }) => votes ?? [])
  const split = voted.filter(({ agreement }) => agreement < 1)
  if (split.length === 0) return null
  const agreement = voted.reduce((sum, one) => sum + one.agreement, 0) / voted.length
  const share = Math.round(agreement * 100)
  const message = `the judge's votes differ in ${split.length} of ${voted.length} runs (${share}% agree on average)`
  return { kind: 'votes_differ', message, of: voted.length, found: split.length, agreement }
}

function findTurnedVerdicts({ again, turned }: JudgedStatement): Unclear | null {
  if (turned === 0) return null
  const message = `${turned} of ${again} repeated gradings of the same transcript gave the opposite verdict`
  return { kind: 'verdict_turns', message, of: again, found: turned }
}

function findMissingQuoteRate({ judged }: JudgedStatement): Unclear | null {
  const passes = judged.filter(({ passed }) => passed)
  const doubtful = passes.filter(
    ({ evidence_flag: flag, evidence_verified: verified }) =>
      verified === 'absent' || (flag !== undefined && verified !== 'claim'),
  )
  if (doubtful.length === 0) return null
  const message = `${doubtful.length} of ${passes.length} passes rest on a quote that is neither in a file nor in the transcript`
  return { kind: 'quotes_not_found', message, of: passes.length, found: doubtful.length }
}

function findUndecidedRate({ judged, undecided }: JudgedStatement): Unclear | null {
  if (undecided === 0) return null
  const of = judged.length + undecided
  return { kind: 'undecided', message: `no judge could decide it in ${undecided} of ${of} runs`, of, found: undecided }
}

/** If it names a file and a text in backticks, code can decide it; otherwise it needs clearer words. */
function suggestClearerStatement(text: string, kind: CritiqueKind): SuiteEdit {
  const check = readStatedCheck(text)
  if (check !== null) return { op: 'to_check', text: `use a check instead: ${JSON.stringify(check)}`, check }
  const how =
    kind === 'quotes_not_found'
      ? 'name the file and the exact words that show it, so that the judge can quote them'
      : 'state one observable thing: name the file, the field and the value; split the statement if it says two things'
  return { op: 'reword', text: how }
}

/** Matches "summary.md says `Total: 5`" and nothing longer, because more words may ask for more. */
function readStatedCheck(text: string): Check | null {
  const verbs = 'says|contains|holds|has|includes|mentions|states'
  const form = new RegExp(`^(?:The file )?\`?(?<path>[\\w./-]+\\.\\w+)\`? (?:${verbs}) \`(?<value>[^\`]+)\`[.]?$`, 'i')
  const { path, value } = form.exec(text.trim())?.groups ?? {}
  if (value === undefined || path === undefined || path.startsWith('/') || path.includes('..')) return null
  return { type: 'contains', value, path, text }
}

function collectStatements({ benchmark, gradings }: CritiqueInput): Map<string, JudgedStatement> {
  const all = new Map<string, JudgedStatement>()
  const seen = (evalId: number, text: string): JudgedStatement => {
    const key = JSON.stringify([evalId, text])
    const known = all.get(key) ?? { evalId, text, judged: [], undecided: 0, again: 0, turned: 0 }
    all.set(key, known)
    return known
  }
  for (const { eval_id, expectations, judge_errors } of benchmark.runs) {
    for (const one of expectations) if (isJudged(one)) seen(eval_id, one.text).judged.push(one)
    for (const { text } of judge_errors ?? []) seen(eval_id, text).undecided += 1
  }
  for (const { eval_id, judge_errors } of benchmark.excluded_runs ?? []) {
    for (const { text } of judge_errors ?? []) seen(eval_id, text).undecided += 1
  }
  for (const { eval_id, expectations, again } of gradings) {
    for (const one of again.flatMap((grading) => grading.expectations)) {
      const first = expectations.find(({ text }) => text === one.text)
      if (first === undefined || !isJudged(one)) continue
      seen(eval_id, one.text).again += 1
      if (first.passed !== one.passed) seen(eval_id, one.text).turned += 1
    }
  }
  return all
}

/** Other tools do not say who decided; it was a judge then. */
function isJudged({ decided_by: by = 'judge' }: GradedExpectation): boolean {
  return by === 'judge'
}
