/** bench: two arms, does the skill help? Plan, ask engines, run and grade what is missing, summarize. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Plan } from '../../schemas/plan.ts'
import { copyWalk, type WalkedFile, walk } from '../base/files.ts'
import { redactorFor } from '../base/redact.ts'
import { openRoom, reapRooms } from '../base/room.ts'
import type { SandboxChoice } from '../base/sandbox/choose.ts'
import { engineNamed } from '../engines/table.ts'
import { withRerunsOf } from '../phases/1-plan/rerun_plan.ts'
import { skillFiles } from '../phases/1-plan/skill.ts'
import { checkText } from '../phases/3-judge/checks/text.ts'
import { cacheOf } from '../store/cache.ts'
import type { LaidFile } from '../store/lay_run.ts'
import { type Layer, openLayer } from '../store/lay_runs.ts'
import { isPlanned, writePlanFile } from '../store/plan_file.ts'
import { listBenchmarks, metadataOf, readPlan } from '../store/store.ts'
import { attach } from './attach.ts'
import { collectionOf } from './calibrations.ts'
import type { FlowContext } from './context.ts'
import { execute } from './execute.ts'
import { type Held, isHeldElsewhere } from './hold.ts'
import { openLimited, shareOf } from './limited.ts'
import { noLimits } from './limits.ts'
import { isOfPlan, mend } from './mend.ts'
import { openFolder } from './open_folder.ts'
import './page/case_files.ts' // what the page needs is loaded now: hours later it may have been replaced
import { openDetails } from './page/details_ahead.ts'
import './page/write_page.ts'
import { planReady } from './plan_ready.ts'
import { preflight, type ReadyProbe } from './preflight.ts'
import { type BenchRequest, type Prepared, prepare } from './prepare.ts'
import { openRemoteIf } from './queue/open_remote.ts'
import { type Helpers, reuseRuns } from './reuse.ts'
import { cacheMode, openRunCache } from './run_cache.ts'
import { hiddenFrom, startSandbox, trySandbox, withSandbox } from './start_sandbox.ts'
import { type BenchResult, isComplete, summarize } from './summarize.ts'
import { refuseStrayInstructions } from './surroundings.ts'
import { refuseUnpriced } from './unpriced.ts'
import { executeUntil } from './until.ts'

/** Runs the benchmark. Throws UserError or IncompleteError before anything was paid for, the abort reason when cut short. */
export async function bench(request: BenchRequest, context: FlowContext): Promise<BenchResult> {
  await reapRooms() // first: what a killed benchmark left may fill the disk
  trySandbox(request.sandbox, context) // it is tried while the suite is read
  await using scratch = await openRoom()
  const prepared = await prepare(request, context, { scratch: path.join(scratch.path, 'baseline'), lenient: false })
  const { plan } = prepared
  // their threads start while the engine is asked; who may only attach needs none
  await using helpers = request.queue ? null : helpersOf(prepared, request, context)
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  if (engineNamed(plan.options.engine.name).readsAbove !== false) await refuseStrayInstructions(scratch.path)
  const probes = await preflight(
    { '--model': plan.options.engine, '--judge': plan.options.judge },
    request.passEnv,
    context,
  )
  await refuseUnpriced(plan.options, request.limits ?? noLimits)
  const opened = await openBenchmark(prepared, request, context)
  if ('attached' in opened) return opened.attached
  const { folder, held } = opened
  await using holding = held
  return await benchIn(folder, { request, prepared, probes, sandbox, scratch: scratch.path, helpers }, holding.context)
}

async function benchIn(folder: string, made: Made, context: FlowContext): Promise<BenchResult> {
  const { request, prepared } = made
  const plan = withSandbox(withRerunsOf(await readPlan(folder).catch(() => null), prepared.plan), made.sandbox)
  await writePlanFile(folder, plan)
  const isUntil = plan.options.until !== undefined
  const mode = cacheMode(request)
  await using helpers = made.helpers ?? helpersOf(prepared, request, context) // they end before the folder is let go
  const { layer, details } = helpers
  const described = describeCases({ folder, plan, layer, env: context.env })
  const files = await snapshotSkills(prepared.folders, made.scratch)
  await mend(folder, plan, context)
  context.emit(await planReady(folder, { ...prepared, plan }))
  const hidden = hiddenFrom(plan, prepared.workspace)
  const { concurrency, passEnv } = request
  const cache = await openRunCache({ plan, folder, mode, skillFiles: files, probes: made.probes, passEnv }, context)
  const settled = isUntil ? new Map() : await reuseRuns(cache, context, { layer, details })
  await described
  await layer[Symbol.asyncDispose]() // what is made now needs the memory
  if (settled.size < plan.runs.length) await details?.[Symbol.asyncDispose]()
  using limited = await openLimited({ plan, folder, workspace: prepared.workspace, ...shareOf(request) }, context)
  const { sandbox } = made
  const { pace } = request
  await using remote = await openRemoteIf({ ...request, wish: request.queue ?? null, plan, folder, limited }, context)
  const how = { passEnv, hidden, sandbox, concurrency, pace, limited, cache, settled, remote }
  const execution = { plan, folder, skillFiles: files, ...how }
  const performed = request.perform && (await request.perform(execution, context))
  if (performed === undefined) await (isUntil ? executeUntil : execute)(execution, context)
  await remote?.[Symbol.asyncDispose]() // what lies elsewhere is put away and counted before the benchmark is whole
  context.signal.throwIfAborted()
  return await summarize(folder, performed ?? plan, context, {
    stop: limited?.stopped() ?? null,
    known: settled,
    details,
    marked: true,
  })
}

/** The plan alone, for --dry-run: no agent is started, nothing written. */
export async function planBench(request: BenchRequest, context: FlowContext): Promise<Prepared> {
  return await withPlan(request, context, (prepared) => Promise.resolve(prepared))
}

/** The same, for work that needs the files of both versions: an exported one is there only as long. */
export async function withPlan<R>(
  request: BenchRequest,
  context: FlowContext,
  work: (prepared: Prepared) => Promise<R>,
): Promise<R> {
  await using scratch = await openRoom()
  const prepared = await prepare(request, context, { scratch: path.join(scratch.path, 'baseline'), lenient: true })
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  return await work({ ...prepared, plan: withSandbox(prepared.plan, sandbox) })
}

interface Made {
  request: BenchRequest
  prepared: Prepared
  sandbox: SandboxChoice
  scratch: string
  probes: ReadonlyMap<string, ReadyProbe>
  helpers: OpenHelpers | null
}

type OpenHelpers = Helpers & AsyncDisposable

/** Threads for what is taken from the cache; where there is nothing yet, that of the page waits for the first run. */
function helpersOf({ plan, workspace }: Prepared, request: BenchRequest, context: FlowContext): OpenHelpers {
  const isReusing = cacheMode(request) === 'use' && plan.options.until === undefined
  const layer = openLayer(isReusing ? plan.runs.length : 0)
  const details = isReusing ? openDetails({ runs: plan.runs.length, env: context.env }) : null
  if (existsSync(cacheOf(workspace).runs)) details?.warmUp()
  return {
    layer,
    details,
    async [Symbol.asyncDispose]() {
      await Promise.all([layer[Symbol.asyncDispose](), details?.[Symbol.asyncDispose]()])
    },
  }
}

const startAnother = ', or start another benchmark beside it with --fresh'

/**
 * The newest unfinished benchmark of the same plan, else a new one, held. Where another process works on it: with a queue what
 * came of it there, else throws UserError.
 */
async function openBenchmark(
  { plan, workspace, choices }: Prepared,
  { fresh, queue = null }: BenchRequest,
  context: FlowContext,
): Promise<{ folder: string; held: Held } | { attached: BenchResult }> {
  const collection = collectionOf(plan)
  for (;;) {
    const unfinished = fresh ? null : await findUnfinished(workspace, plan, context)
    const canAttach = unfinished !== null && queue !== null
    const attached = canAttach ? await attach(unfinished, choices, context) : null
    if (attached !== null) return { attached }
    try {
      return await openFolder({ workspace, collection, unfinished, isComplete, otherwise: startAnother }, context)
    } catch (error) {
      if (!canAttach || !isHeldElsewhere(error)) throw error // of several that saw the first one end, one goes on
    }
  }
}

/** Files that are handed over together, and how many such parts are under way. */
const handed = { files: 96, parts: 4 }

interface Described {
  folder: string
  plan: Plan
  layer: Layer
  /** Whose keys are not told. */
  env: FlowContext['env']
}

/** Writes every case's metadata; who waits for nothing meanwhile hears at the end what went wrong. */
function describeCases(described: Described): Promise<void> {
  const done = writeMetadata(described)
  done.catch(() => {})
  return done
}

async function writeMetadata({ folder, plan, layer, env }: Described): Promise<void> {
  const redactor = redactorFor(env)
  const told = ({ eval_name, prompt, expectations, checks }: Plan['cases'][number]) =>
    redactor.value({
      eval_name,
      prompt,
      assertions: [...expectations.map(({ text }) => text), ...checks.map(checkText)],
    })
  const underWay: Promise<void>[] = []
  let files: LaidFile[] = []
  for (const some of metadataOf(folder, plan, told)) {
    files.push(...some)
    if (files.length < handed.files) continue
    underWay.push(layer.layFiles(files))
    files = []
    if (underWay.length > handed.parts) await underWay.shift()
  }
  underWay.push(layer.layFiles(files))
  await Promise.all(underWay)
}

async function findUnfinished(workspace: string, plan: Plan, context: FlowContext): Promise<string | null> {
  for (const folder of await listBenchmarks(workspace, collectionOf(plan))) {
    if (isPlanned(folder, plan.plan_id) && (await isComplete(folder))) return null // its plan need not be read
    const other = await readPlan(folder).catch(() => null)
    const hasEnded = () => isComplete(folder)
    const isSame = other === null ? await isOfPlan(folder, plan, { hasEnded, context }) : other.plan_id === plan.plan_id
    if (isSame) return (await hasEnded()) ? null : folder
  }
  return null
}

/** Copies each skill version aside, so that an edit while the benchmark runs changes nothing. */
export async function snapshotSkills(folders: Prepared['folders'], scratch: string) {
  const files = new Map<string, readonly WalkedFile[]>()
  for (const [sha256, folder] of folders) {
    const copy = path.join(scratch, `version-${files.size}`)
    await copyWalk((await skillFiles(folder)).files, copy)
    files.set(sha256, (await walk(copy)).files)
  }
  return files
}
