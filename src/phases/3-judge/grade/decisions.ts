/** Collects and counts verdicts on the statements of a case: by code, by a judge, or by a timeout. */
import { type Check, isReward } from '../../../../schemas/check.ts'
import type { GradedExpectation, GradingSummary, JudgeError } from '../../../../schemas/grading.ts'
import { keepRated, type RatedVerdict, weightedPassRate } from '../../../../schemas/pass_rate.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { Expectation, SuiteCase } from '../../../../schemas/suite.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
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

export interface FailedCheck {
  check: Check
  evidence: string
  /** What it looked at could not be read. */
  unreadable?: true | undefined
}

/**
 * Decides one check after another, since a command may use the whole machine. A timeout fails those that it leaves undecided. Rejects only
 * when aborted.
 */
export async function decideByChecks(
  one: SuiteCase,
  scene: CheckContext,
): Promise<Decisions & { failed: FailedCheck[] }> {
  const decided: Decisions = { expectations: [], errors: [] }
  const failed: FailedCheck[] = []
  const statements = listCheckStatements(one)
  for (const [index, check] of one.checks.entries()) {
    const statement = statements[index] ?? toStatement(check)
    const late = failByTimeout(statement, scene.record)
    if (late !== null) {
      add(decided, statement, late)
      continue
    }
    const verdict = await decideCheck(check, scene)
    add(decided, statement, { verdict, by: `check:${check.type}` })
    if (!('error' in verdict) && !verdict.passed)
      failed.push({ check, evidence: verdict.evidence, unreadable: verdict.unreadable })
  }
  return { ...decided, failed }
}

/** Whether a judge can decide the expectation: the agent answered what it is about. */
export function isAnswered(expectation: Pick<Expectation, 'turn'>, record: RunEnd): boolean {
  return failUnanswered(expectation, record) === null
}

/**
 * Decides by expectation. Code fails those about answers that did not come; `verdicts` are on the others, in order, null: there was no
 * judge.
 */
export function decideByJudge(one: SuiteCase, verdicts: readonly JudgeVerdict[] | null, record: RunEnd): Decisions {
  const decided: Decisions = { expectations: [], errors: [] }
  const left = verdicts?.values()
  for (const expectation of listExpectations(one)) {
    const failed = failUnanswered(expectation, record)
    if (failed !== null) {
      add(decided, expectation, failed)
      continue
    }
    const none = { error: verdicts === null ? 'no judge was given' : 'the judge gave no verdict' }
    add(decided, expectation, { verdict: withoutRubric(left?.next().value ?? none), by: 'judge' })
  }
  return decided
}

type RunEnd = Pick<RunRecord, 'status' | 'duration_ms' | 'conversation'>

interface Decided {
  verdict: JudgeVerdict
  /** What decided it, as in `decided_by`. */
  by: string
}

function failUnanswered(expectation: Pick<Expectation, 'turn'>, record: RunEnd): Decided | null {
  const late = failByTimeout(expectation, record)
  const unsent = explainUnsentMessage(expectation.turn ?? 1, record.conversation)
  if (late !== null || unsent === null) return late
  return { verdict: { passed: false, evidence: unsent }, by: 'check:turn_reached' }
}

/** A timeout is in the middle of the last turn: it fails all but what is said about earlier answers. null: it does not fail this. */
function failByTimeout({ turn }: Pick<Expectation, 'turn'>, record: RunEnd): Decided | null {
  if (record.status !== 'timed_out') return null
  if (turn !== undefined && turn < (record.conversation?.turns.length ?? 1)) return null
  const evidence = `The run timed out after ${Math.round(record.duration_ms / 100) / 10} s`
  return { verdict: { passed: false, evidence }, by: 'timeout' }
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

/** Whether the agent used the skill is not a gain of the skill, so it is an indicator, unless the check says otherwise. */
function toStatement(check: Check): Statement {
  const isOfUse = check.type === 'skill_read' || check.type === 'script_executed'
  const indicator = check.indicator ?? (isOfUse || undefined)
  return { text: checkText(check), indicator, weight: check.weight, ...('turn' in check && { turn: check.turn }) }
}

function add(decided: Decisions, statement: Statement, { verdict, by }: Decided): void {
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

/** Diagnostics are in no number. `pass_rate` is not rounded, because skill-creator's aggregator averages it. */
export function summarizeGrading(expectations: readonly RatedVerdict[]): GradingSummary {
  const rated = keepRated(expectations)
  const total = rated.length
  const passed = rated.filter((one) => one.passed).length
  return {
    passed,
    failed: total - passed,
    total,
    pass_rate: weightedPassRate(rated),
  }
}

/** Hex sha256 over status, transcript (its sha256), answer and outputs; leaves out ids, times and costs. */
export function evidenceDigest(record: RunRecord, transcript: string): string {
  const { status, final_response, outputs } = record
  return sha256(canonicalJson({ status, final_response, outputs, transcript }))
}
