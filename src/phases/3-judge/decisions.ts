/** Verdicts on the statements of a case, from whoever decides them: code, a judge, the clock. */
import type { Check } from '../../../schemas/check.ts'
import type { GradedExpectation, JudgeError } from '../../../schemas/grading.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { decideCheck } from './checks/decide.ts'
import type { CheckScene } from './checks/scene.ts'
import { checkText } from './checks/text.ts'
import type { Verdict } from './judge_answer.ts'

/** What was decided, and what could not be; a statement is in one of the two. */
export interface Decisions {
  expectations: GradedExpectation[]
  errors: JudgeError[]
}

/** Every statement fails: the agent did not end in time. */
export function timedOut(one: SuiteCase, durationMs: number): Decisions {
  const evidence = `The run timed out after ${Math.round(durationMs / 100) / 10} s`
  const statements = [...one.expectations, ...one.checks.map(statementOf)]
  const fail = { passed: false, evidence, decided_by: 'timeout' }
  return { expectations: statements.map((statement) => ({ ...labels(statement), ...fail })), errors: [] }
}

/** One check after the other, since a command may take the whole machine. Rejects only when aborted. */
export async function byChecks(one: SuiteCase, scene: CheckScene): Promise<Decisions> {
  const decided: Decisions = { expectations: [], errors: [] }
  for (const check of one.checks) {
    const verdict = await decideCheck(check, scene)
    add(decided, statementOf(check), { verdict, by: `check:${check.type}` })
  }
  return decided
}

/** Expectation by expectation; `verdicts` are in their order, null when there was no judge. */
export function byJudge(one: SuiteCase, verdicts: readonly Verdict[] | null): Decisions {
  const decided: Decisions = { expectations: [], errors: [] }
  for (const [index, expectation] of one.expectations.entries()) {
    const none = { error: verdicts === null ? 'no judge was given' : 'the judge gave no verdict' }
    add(decided, expectation, { verdict: withoutRubric(verdicts?.[index] ?? none), by: 'judge' })
  }
  return decided
}

/** Scores of a rubric stand once in a grading, beside the list. */
function withoutRubric(verdict: Verdict): Verdict {
  if ('error' in verdict) return verdict
  const { rubric: _, golden: __, ...shown } = verdict
  return shown
}

interface Statement {
  text: string
  derived?: boolean | undefined
  indicator?: boolean | undefined
}

/** Whether the agent had the skill at hand is no gain of the skill. */
function statementOf(check: Check): Statement {
  const indicator = check.type === 'skill_read' || check.type === 'script_executed' || check.indicator
  return { text: checkText(check), indicator }
}

function add(decided: Decisions, statement: Statement, { verdict, by }: { verdict: Verdict; by: string }): void {
  if ('error' in verdict) decided.errors.push({ text: statement.text, reason: verdict.error })
  else decided.expectations.push({ ...labels(statement), ...verdict, decided_by: by })
}

function labels({ text, derived, indicator }: Statement): Pick<GradedExpectation, 'text' | 'derived' | 'indicator'> {
  return { text, ...(derived && { derived }), ...(indicator !== undefined && { indicator }) }
}
