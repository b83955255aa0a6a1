/** What the suites of one format need of an eval besides: judges to fall back to, cost caps, a log. Features add them with the format. */
import type { EvalCaseResult, EvalResult } from '../../schemas/eval_result.ts'
import type { EngineChoice, Plan } from '../../schemas/plan.ts'
import type { Suite, SuiteCase } from '../../schemas/suite.ts'
import type { PreparedEval } from './eval/eval_request.ts'
import type { FlowContext } from './flow_context.ts'
import type { Limits, SharedBudgets } from './limits/limits.ts'

export interface SpendingLimits {
  limits: Limits
  budgets: SharedBudgets
}

export interface FinishedEval {
  plan: Plan
  result: EvalResult
  /** Why some cases did not run; null: all ran. */
  stopped: string | null
  prepared: Pick<PreparedEval, 'root' | 'guardrails'>
  now: Date
}

export interface PassCache {
  /** The plan without runs of cases that passed before. */
  plan: Plan
  /** Those cases, by id. */
  known: ReadonlyMap<number, EvalCaseResult>
  /** Stores new passes; failed cases run again. */
  keep(folder: string, cases: readonly EvalCaseResult[]): Promise<void>
}

/** Each absent: the format does not need it. */
export interface FormatSteps {
  /** --isolate: the suite with copies below the workspace of what its cases start from. */
  isolate?(suite: Suite, workspace: string): Promise<Suite>
  /** The cases that passed before with the same inputs. `use`: false reads and stores none. */
  openPassCache?(
    plan: Plan,
    how: { workspace: string; now: Date; use: boolean },
    context: Pick<FlowContext, 'env' | 'emit'>,
  ): PassCache
  /** The suite without the judges that it names, as the user named one. */
  withoutFallbackJudges?(suite: Suite): Suite
  /** Judges for some of the suite's cases if the chosen one can't be asked, in this order. */
  listFallbackJudges?(
    cases: readonly SuiteCase[],
    by: { agent: EngineChoice; chosen: EngineChoice | null },
    env: FlowContext['env'],
  ): Promise<EngineChoice[]>
  /** The suite's cost caps, for the plan. */
  describeCaps?(guardrails: PreparedEval['guardrails']): string[]
  /** Treats a cost cap as a budget, to find out whether it can be enforced. */
  applyCapAsBudget?(prepared: PreparedEval, limits: Limits): Limits
  /** The requested limits, narrowed where a cap leaves less; `settle` subtracts past spending from the command's budgets. */
  applyCostCaps?(
    prepared: PreparedEval,
    asked: SpendingLimits,
    of: { plan: Plan; folder: string; now: Date },
  ): Promise<SpendingLimits & { settle: () => void }>
  /** Throws UserError where its log can't be written. */
  refuseUnloggable?(prepared: PreparedEval, now: Date): void
  /** Writes its log, and adds to the result what `resultLines` shows. */
  writeLog?(ended: FinishedEval): Promise<EvalResult>
  /** What it added to the results of a suite whose cases run one by one: `one` is the last. */
  mergeLogs?(whole: EvalResult, one: EvalResult): Partial<EvalResult>
  /** Its own summary for a terminal; null: the usual one. `showPath`: how a path is printed. */
  resultLines?(
    result: EvalResult,
    how: { onlyTotals: boolean; showPath: (file: string) => string },
  ): readonly string[] | null
  /** What `audit` says of the suite of a folder: how far people agree with its judge. */
  auditLines?(root: string): readonly string[]
  /** Begins the reason of a case whose agent crashed. */
  crashName?: string
}

/** By the suite's format; loaded for its suites only. */
const formatSteps: Record<string, () => Promise<FormatSteps>> = {}

/** Adds those of features; again changes nothing. */
export function addFormatSteps(more: Readonly<typeof formatSteps>): void {
  Object.assign(formatSteps, more)
}

export async function loadFormatSteps(format: string): Promise<FormatSteps> {
  return (await formatSteps[format]?.()) ?? {}
}
