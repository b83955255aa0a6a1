/** The steps before the first call of a start: sandbox, commands, engines, prices, workspace. Each may refuse it. */
import path from 'node:path'
import { holdsSkill, type Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { findEngine, listEngines } from '../../engines/table.ts'
import { readSkillBodies } from '../../phases/1-plan/skill/frontmatter.ts'
import { formatCount } from '../../phases/4-report/text/format.ts'
import {
  authorizeCommands,
  type CommandReview,
  refuseUnauthorized,
  resolveConfinement,
  reviewPlan,
} from '../authorize/suite_commands.ts'
import type { FlowContext } from '../flow_context.ts'
import { findBatchOpener } from '../judge_batch.ts'
import { noLimits } from '../limits/limits.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { startSandbox, withSandbox } from '../sandbox/start_sandbox.ts'
import { taskSteps } from '../sandbox/task_steps.ts'
import { attemptStep, type OnRefusal, preflight, type ReadyProbe, throwRefusal } from './preflight.ts'
import type { BenchRequest, PreparedBench } from './prepare_bench.ts'

type StartRequest = Pick<BenchRequest, 'sandbox' | 'passEnv' | 'limits' | 'judgeBatch'>

interface StartReview {
  plan: Plan
  sandbox: SandboxChoice
  /** The commands that the suite would start. */
  review: CommandReview
}

export interface StartOptions {
  /** A temp directory. */
  scratch: string
  /** Called with each reason not to start; absent: the first one is thrown. */
  refuse?: OnRefusal
  /** True: does not ask the user about the suite's commands; absent: asks. */
  isDryRun?: boolean
  /** Looks for a judge in place of the usual step; absent: the plan's judge must be available. */
  findJudge?: () => Promise<void>
}

interface Start extends StartReview, StartOptions, Pick<PreparedBench, 'folders' | 'workspace' | 'choices'> {
  refuse: OnRefusal
  request: StartRequest
  probes: Map<string, ReadyProbe>
}

type StartStep = (start: Start, context: FlowContext) => Promise<unknown> | unknown

const steps: readonly StartStep[] = [
  askForCommands,
  async ({ plan, request }, context) => (await taskSteps[plan.suite.format]?.())?.refuseAgents(plan, request, context),
  ({ plan, scratch }) => (readsAbove(plan) ? refuseStrayInstructions(scratch) : null),
  ({ plan, request }) => (request.judgeBatch && plan.options.judge ? findBatchOpener(plan.options.judge) : null),
  probeEngines,
  refuseSmallContext,
  ({ findJudge }) => findJudge?.(),
  ({ plan, request }, context) => requirePricing(plan.options, request.limits ?? noLimits, context),
  ({ workspace }) => refuseUnwritableWorkspace(workspace),
]

/** Where nothing is left to run. */
const stepsWithoutRuns: readonly StartStep[] = [askForCommands, ({ workspace }) => refuseUnwritableWorkspace(workspace)]

/** Asks no model. Throws UserError if a required sandbox does not work. */
export async function checkStart(
  prepared: PreparedBench,
  request: StartRequest,
  options: StartOptions,
  context: FlowContext,
): Promise<StartReview & { probes: ReadonlyMap<string, ReadyProbe> }> {
  const reviewed = await reviewStart(prepared, request, context)
  const probes = new Map<string, ReadyProbe>()
  const { refuse = throwRefusal } = options
  const where = { folders: prepared.folders, workspace: prepared.workspace, choices: prepared.choices }
  const start: Start = { ...reviewed, ...options, refuse, request, probes, ...where }
  const taken = reviewed.plan.runs.length === 0 ? stepsWithoutRuns : steps
  for (const step of taken) await attemptStep(refuse, () => step(start, context))
  return { ...reviewed, probes }
}

/** Chooses the sandbox, and lists the commands that the suite would start. Throws UserError if a required sandbox does not work. */
export async function reviewStart(
  prepared: PreparedBench,
  request: StartRequest,
  context: FlowContext,
): Promise<StartReview> {
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  reportUnsetVariables(request, prepared, context)
  const plan = withSandbox(prepared.plan, sandbox)
  const review = await reviewPlan(plan, prepared.folders, resolveConfinement(sandbox, request.sandbox))
  return { plan, sandbox, review }
}

function askForCommands({ review, isDryRun }: Start, context: FlowContext) {
  return (isDryRun ? refuseUnauthorized : authorizeCommands)(review, context)
}

async function probeEngines(start: Start, context: FlowContext): Promise<void> {
  const { plan, request, findJudge, refuse, probes, choices } = start
  const { engine, judge, user = null } = plan.options
  const targets = { '--model': engine, '--judge': findJudge === undefined ? judge : null, '--user': user }
  for (const [name, probe] of await preflight(targets, request.passEnv, context, refuse)) probes.set(name, probe)
  for (const warning of new Set([...probes.values()].flatMap((probe) => probe.warning ?? []))) choices.push(warning)
}

/** Estimated: four characters a token, the descriptions of the tools, and an answer. Throws UserError where a run can't fit. */
async function refuseSmallContext({ plan: { runs, options }, folders, probes }: Start): Promise<void> {
  const context = probes.get(JSON.stringify(options.engine))?.context ?? Number.POSITIVE_INFINITY
  const unread = holdsSkill(options.activation) ? [] : [...(await readSkillBodies(folders)).values()]
  const [prompt, skill] = [runs.map((run) => run.prompt), unread].map((texts) =>
    Math.max(0, ...texts.map(({ length }) => length)),
  )
  const needed = Math.ceil(((prompt ?? 0) + (skill ?? 0)) / 4) + (options.activation === 'answer' ? 500 : 1500)
  if (needed <= context) return
  throw new UserError(
    `the server of ${options.engine.name} has ${formatCount(context)} tokens for a run, which needs about ${formatCount(needed)} (skill, prompt, tools, answer)`,
    'start it with a larger context (llama-server -c, which its slots share; OLLAMA_CONTEXT_LENGTH), or shorten the skill',
  )
}

function readsAbove({ options: { engine } }: Plan): boolean {
  return engine.name !== 'auto' && findEngine(engine.name).readsAbove !== false
}

/** Throws UserError. */
export function refuseUnwritableWorkspace(workspace: string): void {
  const why = whyNotWritable({ place: workspace, kind: 'folder' })
  if (why === null) return
  throw new UserError(`the workspace ${workspace} can't be written: ${why}`, 'choose another folder with --workspace')
}

/** Throws UserError when a folder above the temp directory has instructions or skills that no case asked for. */
export async function refuseStrayInstructions(tempDir: string): Promise<void> {
  const above = path.dirname(tempDir)
  const known = listEngines().flatMap(({ projectFiles = [] }) => projectFiles)
  for (const folder of listAncestors(above)) {
    for (const name of ['AGENTS.md', '.agents/skills', ...known]) {
      const file = path.join(folder, name)
      if (!(await pathExists(file))) continue
      throw new UserError(
        `${file}: agents that work below ${above} read it, although no case asks for it`,
        'set TMPDIR to a folder without such a file above it',
      )
    }
  }
}

function listAncestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...listAncestors(parent)]
}

/** Adds a line to `choices` for each variable of --pass-env that is not set. A pipeline may pass optional ones, so nothing is refused. */
export function reportUnsetVariables(
  { passEnv }: { passEnv: readonly string[] },
  { choices }: { choices: string[] },
  { env }: Pick<FlowContext, 'env'>,
): void {
  for (const name of new Set(passEnv))
    if (env[name] === undefined)
      choices.push(`--pass-env ${name}: not set here, so runs on this machine start without it`)
}
