/** eval case by case, for test runners: what there is to run, and one of it. */
import type { EvalCaseResult } from '../../../schemas/eval_result.ts'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { missingFor } from '../../engines/available.ts'
import { judgeName } from '../../engines/judge_choice.ts'
import { findSuites } from '../../phases/1-plan/find_suites.ts'
import { selectEvals } from '../../phases/1-plan/select_eval.ts'
import type { FlowContext } from '../context.ts'
import { noLimits } from '../limits.ts'
import { Purses } from '../purses.ts'
import { evalSuite } from './eval_suite.ts'
import { type Gathering, gather } from './gather.ts'
import { prepareEval } from './prepare_eval.ts'
import type { EvalRequest } from './request.ts'

/** A suite that was found; `error`: why it can't be read. */
export type ListedSuite = { place: string; format: string } & ({ suite: Suite } | { error: unknown })

/** Throws UserError where no suite is found, or a wish means no case. */
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

/** Codes of errors that say that nobody can be asked here. */
const noneToAsk: ReadonlySet<string | null> = new Set(['no-engine', 'no-judge'])

export interface OneEval {
  result: EvalCaseResult
  /** Where the result and the run lie, absolute. */
  folder: string
}

/** Runs one case of a suite, beside those that were gathered before it; `{ skip }`: engine or judge can't be asked here. Throws UserError or IncompleteError. */
export async function evaluateCase(
  { suite, one, gathering }: { suite: Suite; one: SuiteCase; gathering: Gathering },
  request: EvalRequest,
  context: FlowContext,
): Promise<OneEval | { skip: string }> {
  const only = { ...suite, cases: [one] }
  const prepared = await prepareEval(only, request, { context, lenient: false }).catch((error: unknown) => {
    if (error instanceof UserError && noneToAsk.has(error.code)) return { skip: error.message }
    throw error
  })
  if ('skip' in prepared) return prepared
  const { engine, judge } = prepared.plan.options
  for (const choice of judge === null ? [engine] : [engine, judge]) {
    const missing = await missingFor(choice, context.env)
    if (missing !== null) return { skip: `${judgeName(choice)} can't be asked: ${missing}` }
  }
  const purses = new Purses(request.limits ?? noLimits)
  const ended = await evalSuite(prepared, { request: { ...request, fresh: true }, purses }, context)
  const [result] = ended.cases
  if (result === undefined) throw new Error(`${suite.path}: the case ${one.eval_name} has no result`)
  return { result, folder: await gather(gathering, ended) }
}
