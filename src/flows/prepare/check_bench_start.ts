/** The last steps before the first call of bench: sandbox, engine, judge, limits and workspace. Each may refuse the start. */
import { UserError } from '../../base/errors/error.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { findEngine } from '../../engines/table.ts'
import {
  authorizeCommands,
  type CommandReview,
  refuseUnauthorized,
  resolveConfinement,
  reviewPlan,
} from '../authorize/suite_commands.ts'
import type { FlowContext } from '../flow_context.ts'
import { assertBatchJudge } from '../judge_batch/judge_batch.ts'
import { noLimits } from '../limits/limits.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { refuseOutsideAgents } from '../sandbox/harbor_backend.ts'
import { startSandbox } from '../sandbox/start_sandbox.ts'
import { refuseStrayInstructions, reportUnsetVariables } from './host_environment.ts'
import { preflight, type ReadyProbe } from './preflight.ts'
import type { BenchRequest, PreparedBench } from './prepare_bench.ts'
import { attemptStep, type OnRefusal } from './refusals.ts'

export interface BenchReadiness {
  /** The commands that the suite would start. */
  review: CommandReview
  sandbox: SandboxChoice
  probes: ReadonlyMap<string, ReadyProbe>
}

/** Options for these steps. */
export interface BenchStartOptions {
  /** A temp directory. */
  scratch: string
  /** Called with each reason not to start. */
  refuse: OnRefusal
  /** True: does not ask the user about the suite's commands. */
  isDryRun: boolean
}

/** Asks no model. Throws UserError if a required sandbox does not work. */
export async function checkBenchStart(
  prepared: PreparedBench,
  request: BenchRequest,
  { scratch, refuse, isDryRun }: BenchStartOptions,
  context: FlowContext,
): Promise<BenchReadiness> {
  const { engine, judge, user = null } = prepared.plan.options
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  reportUnsetVariables(request, prepared, context)
  const review = await reviewPlan(prepared.plan, prepared.folders, resolveConfinement(sandbox, request.sandbox))
  await attemptStep(refuse, () => (isDryRun ? refuseUnauthorized : authorizeCommands)(review, context))
  await attemptStep(refuse, () => refuseOutsideAgents(prepared.plan, request.sandbox, context.env))
  if (engine.name !== 'auto' && findEngine(engine.name).readsAbove !== false)
    await attemptStep(refuse, () => refuseStrayInstructions(scratch))
  if (request.judgeBatch) await attemptStep(refuse, () => assertBatchJudge(judge))
  const probes = await preflight(
    { '--model': engine, '--judge': judge, '--user': user },
    request.passEnv,
    context,
    refuse,
  )
  await attemptStep(refuse, () => requirePricing(prepared.plan.options, request.limits ?? noLimits, context))
  await attemptStep(refuse, () => refuseUnwritableWorkspace(prepared.workspace))
  return { review, sandbox, probes }
}

/** Throws UserError. */
export function refuseUnwritableWorkspace(workspace: string): void {
  const why = whyNotWritable({ place: workspace, kind: 'folder' })
  if (why === null) return
  throw new UserError(`the workspace ${workspace} can't be written: ${why}`, 'choose another folder with --workspace')
}
