/** eval case by case, for test runners: lists the cases and runs one. */
import type { EvalCaseResult } from '../../../schemas/eval_result.ts'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { findMissingRequirement } from '../../engines/models/availability.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { findSuites } from '../../phases/1-plan/suite/find_suites.ts'
import { selectEvals } from '../../phases/1-plan/suite/select_eval_cases.ts'
import { findSigner } from '../../store/signing/signer.ts'
import type { FlowContext } from '../flow_context.ts'
import { noLimits, SharedBudgets } from '../limits/limits.ts'
import { throwRefusal } from '../prepare/refusals.ts'
import type { EvalRequest } from './eval_request.ts'
import { runEvalSuite } from './eval_suite.ts'
import { type CaseCollection, collectCase } from './gather_cases.ts'
import { prepareEval } from './prepare_eval.ts'

/** A suite that was found; `error`: why it can't be read. */
export type ListedSuite = { place: string; format: string } & ({ suite: Suite } | { error: unknown })

/** Throws UserError where no suite is found, or a selection matches no case. */
export async function listEvals(request: EvalRequest): Promise<ListedSuite[]> {
  const all: ListedSuite[] = []
  for (const found of await findSuites(request.path, request.format)) {
    const { place, format } = found
    try {
      all.push({ place, format, suite: await found.load() })
    } catch (error) {
      all.push({ place, format, error })
    }
  }
  const read = all.flatMap((one) => ('suite' in one ? [one] : []))
  const chosen = new Map(selectEvals(read, request).map((one) => [one.place, one]))
  return all.flatMap((one) => ('suite' in one ? (chosen.get(one.place) ?? []) : one))
}

/** Error codes for a missing engine or judge. */
const unavailableCodes: ReadonlySet<string | null> = new Set(['no-engine', 'no-judge'])

export interface CaseEvaluation {
  result: EvalCaseResult
  /** The folder of the result and the run, absolute. */
  folder: string
}

/** Runs one case and adds it to `gathering`. `{ skip }`: no engine or judge is available. Throws UserError or IncompleteError. */
export async function evaluateCase(
  { suite, one, gathering }: { suite: Suite; one: SuiteCase; gathering: CaseCollection },
  request: EvalRequest,
  context: FlowContext,
): Promise<CaseEvaluation | { skip: string }> {
  const only = { ...suite, cases: [one] }
  const prepared = await prepareEval(only, request, { context, refuse: throwRefusal, isDryRun: false }).catch(
    (error: unknown) => {
      if (error instanceof UserError && unavailableCodes.has(error.code)) return { skip: error.message }
      throw error
    },
  )
  if ('skip' in prepared) return prepared
  const { engine, judge } = prepared.plan.options
  for (const choice of judge === null ? [engine] : [engine, judge]) {
    const missing = await findMissingRequirement(choice, context.env)
    if (missing !== null) return { skip: `${judgeName(choice)} can't be asked: ${missing}` }
  }
  const budgets = new SharedBudgets(request.limits ?? noLimits)
  const ended = await runEvalSuite(prepared, { request: { ...request, fresh: true }, budgets }, context)
  const [result] = ended.cases
  if (result === undefined) throw new Error(`${suite.path}: the case ${one.eval_name} has no result`)
  return { result, folder: await collectCase(gathering, ended, findSigner(context.env)) }
}
