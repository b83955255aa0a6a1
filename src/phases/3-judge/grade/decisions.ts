/** Collects verdicts on the statements of a case: by code, by a judge, or by a timeout. */
import { type Check, isReward } from '../../../../schemas/check.ts'
import type { ConversationRecord } from '../../../../schemas/conversation.ts'
import type { GradedExpectation, JudgeError } from '../../../../schemas/grading.ts'
import type { Expectation, SuiteCase } from '../../../../schemas/suite.ts'
import { checkText } from '../checks/check_text.ts'
import { decideCheck } from '../checks/decide_check.ts'
import type { CheckContext } from '../checks/inputs/check_input.ts'
import { explainUnsentMessage } from '../conversation/unsent_message.ts'
import type { JudgeVerdict } from '../judge/judge_answer.ts'

/** Each statement is either decided or an error. */
export interface Decisions {
  expectations: GradedExpectation[]
  errors: JudgeError[]
}

/** A failed check with its finding. */
export interface FailedCheck {
  check: Check
  evidence: string
}

/** Fails every statement, because the agent did not end in time. */
export function failTimedOut(one: SuiteCase, durationMs: number): Decisions {
  const evidence = `The run timed out after ${Math.round(durationMs / 100) / 10} s`
  const statements = [...listExpectations(one), ...listCheckStatements(one)]
  const fail = { passed: false, evidence, decided_by: 'timeout' }
  return { expectations: statements.map((statement) => ({ ...labels(statement), ...fail })), errors: [] }
}

/** Decides one check after another, since a command may use the whole machine. Rejects only when aborted. */
export async function decideByChecks(
  one: SuiteCase,
  scene: CheckContext,
): Promise<Decisions & { failed: FailedCheck[] }> {
  const decided: Decisions = { expectations: [], errors: [] }
  const failed: FailedCheck[] = []
  const statements = listCheckStatements(one)
  for (const [index, check] of one.checks.entries()) {
    const verdict = await decideCheck(check, scene)
    add(decided, statements[index] ?? toStatement(check), { verdict, by: `check:${check.type}` })
    if (!('error' in verdict) && !verdict.passed) failed.push({ check, evidence: verdict.evidence })
  }
  return { ...decided, failed }
}

/** Whether the message was sent that the expectation is about. */
export function isSent({ turn = 1 }: Pick<Expectation, 'turn'>, conversation: ConversationRecord | undefined): boolean {
  return explainUnsentMessage(turn, conversation) === null
}

/**
 * Decides by expectation. Code fails those about the answer to a message that was not sent; `verdicts` are on the others, in order,
 * null: there was no judge.
 */
export function decideByJudge(
  one: SuiteCase,
  verdicts: readonly JudgeVerdict[] | null,
  conversation?: ConversationRecord,
): Decisions {
  const decided: Decisions = { expectations: [], errors: [] }
  const left = verdicts?.values()
  for (const expectation of listExpectations(one)) {
    const unsent = explainUnsentMessage(expectation.turn ?? 1, conversation)
    if (unsent !== null) {
      add(decided, expectation, { verdict: { passed: false, evidence: unsent }, by: 'check:turn_reached' })
      continue
    }
    const none = { error: verdicts === null ? 'no judge was given' : 'the judge gave no verdict' }
    add(decided, expectation, { verdict: withoutRubric(left?.next().value ?? none), by: 'judge' })
  }
  return decided
}

/** A grading has the scores of a rubric only once, outside the list. */
function withoutRubric(verdict: JudgeVerdict): JudgeVerdict {
  if ('error' in verdict) return verdict
  const { rubric: _, golden: __, ...shown } = verdict
  return shown
}

type Statement = Pick<GradedExpectation, 'text' | 'derived' | 'indicator' | 'weight' | 'turn' | 'diagnostic'>

/** Where a check is the reward of the case, everything else is a diagnostic. */
function listExpectations({ expectations, checks }: SuiteCase): Statement[] {
  return checks.some(isReward) ? expectations.map((one) => ({ ...one, diagnostic: true })) : expectations
}

function listCheckStatements({ checks }: SuiteCase): Statement[] {
  const hasReward = checks.some(isReward)
  return checks.map((check) => ({ ...toStatement(check), ...(hasReward && !isReward(check) && { diagnostic: true }) }))
}

/** Whether the agent used the skill is not a gain of the skill, so it is an indicator. */
function toStatement(check: Check): Statement {
  const indicator = check.type === 'skill_read' || check.type === 'script_executed' || check.indicator
  return { text: checkText(check), indicator, weight: check.weight, ...('turn' in check && { turn: check.turn }) }
}

function add(decided: Decisions, statement: Statement, { verdict, by }: { verdict: JudgeVerdict; by: string }): void {
  const { text, diagnostic } = statement
  if ('error' in verdict) decided.errors.push({ text, reason: verdict.error, ...(diagnostic && { diagnostic }) })
  else decided.expectations.push({ ...labels(statement), ...verdict, decided_by: by })
}

function labels({ text, derived, indicator, weight, turn, diagnostic }: Statement): Statement {
  return {
    text,
    ...(derived && { derived }),
    ...(indicator !== undefined && { indicator }),
    ...(weight !== undefined && { weight }),
    ...(turn !== undefined && { turn }),
    ...(diagnostic && { diagnostic }),
  }
}
