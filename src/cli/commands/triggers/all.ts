/** `whetstone triggers --all`: which of many skills is read for whose queries. */
import { UserError } from '../../../base/errors/error.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { AllTriggersRequest } from '../../../flows/triggers/all/prepare_all_triggers.ts'
import type { TriggerSettings } from '../../../flows/triggers/prepare_triggers.ts'
import { triggerMatrixGateSubject } from '../../../phases/4-report/gate/gate_subject.ts'
import { parseGate } from '../../../phases/4-report/gate/parse_gate.ts'
import { exitCodes } from '../../exit_codes.ts'
import { chooseResumeWay } from '../../terminal/interrupt.ts'
import { type WaitWish, withFlow } from '../options/run_flow.ts'
import { usualRuns } from './options.ts'
import { showAllTriggerPlan, showMatrix } from './print_all.ts'

export interface AllArguments {
  all: string
  skill: string | undefined
  set: string | undefined
  workspace: string | undefined
  runs: number | undefined
  fullGrid: boolean
  fresh: boolean
  dryRun: boolean
  json: boolean
  maxWait: WaitWish['maxWait']
  gate: readonly string[]
  failOn: readonly string[]
  reporter: readonly string[]
  generate: number | undefined
  output: string | undefined
}

/** Returns the exit code. */
export async function startAll(parsed: AllArguments, settings: Omit<TriggerSettings, 'runs'>): Promise<number> {
  refuseOtherFlags(parsed)
  const { json, fresh, dryRun } = parsed
  const gates = parsed.gate.map((text) => parseGate(text, triggerMatrixGateSubject))
  const { measureAllTriggers, planAllTriggersOnly } = await import('../../../flows/triggers/all/all_triggers.ts')
  const request: AllTriggersRequest = {
    ...settings,
    folder: parsed.all,
    set: parsed.set ?? null,
    workspace: parsed.workspace ?? null,
    runs: parsed.runs ?? usualRuns.all,
    until: parsed.fullGrid ? 'all' : 'decided',
    fresh,
  }
  const { concurrency, limits } = request
  if (dryRun) {
    const planned = (context: FlowContext) => planAllTriggersOnly(request, context)
    const { result } = await withFlow({ json, concurrency }, planned)
    showAllTriggerPlan(result, json)
    if (result.refusal !== null) throw result.refusal
    return exitCodes.done
  }
  const goesOn = chooseResumeWay(fresh)
  const waits = { maxWait: parsed.maxWait, limits }
  const asked = (context: FlowContext) => measureAllTriggers(request, context)
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, asked)
  return showMatrix(result, { json, interrupted, goesOn, gates })
}

function refuseOtherFlags({ skill, failOn, reporter, generate, output }: AllArguments): void {
  if (skill !== undefined)
    throw new UserError(
      `triggers --all with a skill ("${skill}")`,
      'leave the skill out: --all measures every skill of its folder',
    )
  if (failOn.length > 0)
    throw new UserError('--all with --fail-on', 'use --gate "thefts == 0" or --gate "lowest_recall >= 80%"')
  if (reporter.length > 0) throw new UserError('--all with --reporter', 'use --json, or read trigger_matrix.json')
  if (generate !== undefined || output !== undefined)
    throw new UserError(
      '--all with --generate',
      'draft the queries of each skill alone: whetstone triggers <skill> --generate 10',
    )
}
