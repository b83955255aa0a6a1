/** Opens and locks the folder for a plan, an unfinished one of this user or a new one, and repairs what earlier work left damaged in it. */
import { existsSync, readFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { type Plan, plan as planSchema, type RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { writeWhole } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { writeRunFiles } from '../../phases/2-run/collect/write_run.ts'
import { checkText } from '../../phases/3-judge/checks/check_text.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { type Damage, readTranscript, tryReadArtefact } from '../../store/artefacts/damage.ts'
import { listRunsSetAside, removeRun } from '../../store/artefacts/older_runs.ts'
import { describeRemoved, readRemoved } from '../../store/artefacts/removed_parts.ts'
import { takeLease } from '../../store/lease/lease.ts'
import { benchmarkPaths, type Collection, runPaths } from '../../store/paths.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { compareWithSignature, isOwnRun, signedAsGrading, signRun } from '../../store/signing/own_runs.ts'
import { findSigner, type ResultSigner, removeUnsigned } from '../../store/signing/signer.ts'
import { createBenchmark, isOwnPlan, listBenchmarks, readPlan, readRun, writeMetadata } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { type BenchmarkLock, lockBenchmark, reportForeignResults } from './benchmark_lock.ts'

interface Collected {
  workspace: string
  collection: Collection
  isComplete(folder: string): boolean | Promise<boolean>
}

export interface BenchFolderRequest extends Collected {
  /** The folder to resume; null: there is none, or a new one is requested. */
  unfinished: string | null
  /** The user's alternative if another process has locked it; absent: only to wait. */
  otherwise?: string
}

interface WantedPlan {
  plan: Plan
  /** Absent: the same id is enough. */
  isSame?: (other: Plan) => boolean
}

/** The newest folder with this plan of this user if it is unfinished; null: there is none. Reports unfinished ones of others. */
export async function findUnfinished(
  { workspace, collection, isComplete }: Collected,
  { plan, isSame = ({ plan_id }) => plan_id === plan.plan_id }: WantedPlan,
  context: FlowContext,
): Promise<string | null> {
  const signer = findSigner(context.env)
  for (const folder of await listBenchmarks(workspace, collection)) {
    const other = await readPlan(folder).catch(() => null)
    const hasEnded = () => isComplete(folder)
    const isIt = other === null ? await recognizeDamagedBenchmark(folder, plan, { hasEnded, context }) : isSame(other)
    if (!isIt) continue
    const isOpen = !(await hasEnded())
    if (other === null || isOwnPlan(folder, signer)) return isOpen ? folder : null
    if (isOpen) reportForeignResults({ place: folder, what: 'an unfinished benchmark' }, context)
  }
  return null
}

/** Throws UserError when another process works on it. */
export async function openBenchFolder(
  wanted: BenchFolderRequest,
  context: FlowContext,
): Promise<{ folder: string; lock: BenchmarkLock }> {
  const { workspace, collection, unfinished } = wanted
  if (unfinished !== null) {
    const lock = await lockBenchmark(unfinished, context, wanted.otherwise)
    if (!(await wanted.isComplete(unfinished))) return { folder: unfinished, lock }
    await lock[Symbol.asyncDispose]() // it was completed in the meantime
  }
  await clearAbandonedBenchmarks(workspace, context.signal, collection)
  const folder = await createBenchmark(workspace, context.now(), collection)
  return { folder, lock: await lockBenchmark(folder, context) }
}

/** Removes them, except one that another process has just created and locked. */
async function clearAbandonedBenchmarks(workspace: string, signal: AbortSignal, collection: Collection): Promise<void> {
  for (const folder of await listBenchmarks(workspace, collection)) {
    if (!(await isBare(folder))) continue
    const lease = await takeLease(folder, { signal })
    if ('heldBy' in lease) continue
    await using _ = lease
    if (await isBare(folder)) await rm(folder, { recursive: true, force: true })
  }
}

/** True if it contains only leases and temporary files. */
async function isBare(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => ['unreadable'])
  return names.every((name) => name.startsWith('.'))
}

/** Covers every case with runs in the plan. `env`: the user's, whose credentials are redacted. */
export function describeCases(folder: string, plan: Plan, env: FlowContext['env']): void {
  const redactor = getRedactor(env)
  const runIds = new Map<number, string[]>(plan.cases.map(({ eval_id }) => [eval_id, []]))
  for (const { eval_id, run_id } of plan.runs) runIds.get(eval_id)?.push(run_id)
  for (const { eval_id, eval_key, eval_name, prompt, turns, expectations, checks } of plan.cases) {
    const assertions = [...expectations.map(({ text }) => text), ...checks.map(checkText)]
    const texts = redactor.value({
      eval_name,
      prompt,
      ...(turns && { turns: turns.map((one) => one.prompt) }),
      assertions,
    })
    writeMetadata(folder, runIds.get(eval_id) ?? [], { eval_id, ...texts, eval_key })
  }
}

/**
 * Checks every stored run of the plan, and removes what this user did not sign as it is. What the rest of a run can't restore is run or
 * graded again.
 */
export async function repairBenchmark(folder: string, plan: Plan, context: FlowContext): Promise<void> {
  const limit = pLimit(16)
  const tell = (damage: Damage, mended: string) => context.emit({ type: 'artefact_damaged', ...damage, mended })
  tryReadArtefact(benchmarkSchema, benchmarkPaths(folder).benchmark, (damage) =>
    tell(damage, 'it is written again at the end'),
  )
  const signer = findSigner(context.env)
  const removed = removeForeignRunsSetAside(folder, plan, signer)
  if (removeUnsigned(benchmarkPaths(folder).olderTests, signer)) removed.push('file')
  const there = plan.runs.filter(({ run_id }) => existsSync(runPaths(folder, run_id).record))
  const how = { tell, signer, forget: (what: Removed) => void removed.push(what) }
  await Promise.all(there.map((spec) => limit(() => repairRun(folder, spec, how))))
  if (removed.length > 0) reportForeignResults({ place: folder, what: countRemoved(removed) }, context)
}

/** What was removed because it is somebody else's. */
type Removed = 'run' | 'grading' | 'file'

/** Such as "2 runs and 1 grading". */
function countRemoved(removed: readonly Removed[]): string {
  const kinds = (['run', 'grading', 'file'] as const).filter((kind) => removed.includes(kind))
  return kinds.map((kind) => formatPlural(removed.filter((one) => one === kind).length, kind)).join(' and ')
}

function removeForeignRunsSetAside(folder: string, plan: Plan, signer: ResultSigner): Removed[] {
  const { older } = benchmarkPaths(folder)
  return listRunsSetAside(folder, plan).flatMap(({ run_id }): Removed[] => {
    if (!isOwnRun(older, run_id, signer)) {
      removeRun(older, run_id)
      return ['run']
    }
    return removeForeignGrading(older, run_id, signer)
  })
}

function removeForeignGrading(folder: string, runId: string, signer: ResultSigner): Removed[] {
  const { grading } = runPaths(folder, runId)
  return removeUnsigned(grading, signer, signedAsGrading(folder, runId)) ? ['grading'] : []
}

interface RepairHow {
  tell: (damage: Damage, mended: string) => void
  signer: ResultSigner
  forget: (what: Removed) => void
}

async function repairRun(folder: string, spec: RunSpec, how: RepairHow): Promise<void> {
  const { tell, signer, forget } = how
  const { run_id: runId } = spec
  const paths = runPaths(folder, runId)
  const found: Damage[] = []
  const stored = await readRun(folder, runId, (damage) => found.push(damage))
  const runAgain = () => rm(paths.record, { force: true })
  if (stored === null) {
    for (const damage of found) tell(damage, 'the run starts again')
    return
  }
  if (!isOwnRun(folder, runId, signer)) {
    forget('run')
    return await runAgain()
  }
  if (!isRunDone(stored, spec)) return
  const damaged = found.find(({ file }) => file === paths.grading)
  if (damaged !== undefined) tell(damaged, 'the run is graded again')
  else for (const what of removeForeignGrading(folder, runId, signer)) forget(what)
  removeForeignRepeats(folder, runId, signer)
  const gone = readRemoved(paths.folder)
  if (gone === null) {
    const cheap = found.filter(({ file }) => file !== paths.grading)
    if (!(await repairEvidence(folder, spec, { ...how, record: stored.record, cheap }))) await runAgain()
  } else if (!existsSync(paths.grading)) {
    const message = `${paths.folder}: the transcript ${describeRemoved(gone)}, and there is no grading`
    tell({ file: paths.folder, message }, 'the run starts again')
    await runAgain()
  }
}

/** Checks what a grading reads, and writes again what follows from the rest. False: the run must start again, which is reported. */
async function repairEvidence(
  folder: string,
  { run_id: runId, prompt }: RunSpec,
  { tell, signer, forget, record, cheap }: RepairHow & { record: RunRecord; cheap: readonly Damage[] },
): Promise<boolean> {
  const paths = runPaths(folder, runId)
  const events = await readTranscript(path.join(paths.folder, 'transcript.jsonl'), record, (damage) => {
    tell(damage, 'the run starts again')
  })
  if (events === null) return false
  const state = await compareWithSignature(folder, { runId, record, signer })
  if (state === 'foreign') {
    forget('run')
    return false
  }
  if (cheap.length === 0 && state === 'whole') return true
  const text = readFileSync(paths.record, 'utf8')
  // a large file may be a link into the cache, so replace it instead of overwriting
  for (const file of [paths.transcript, paths.timing, paths.metrics]) await rm(file, { recursive: true, force: true })
  await writeRunFiles({ folder: paths.folder, record, events, prompt })
  writeWhole(paths.record, text) // its gradings are signed with it as it was
  await signRun(paths.folder, runId, signer)
  for (const damage of cheap) tell(damage, 'it is written again from run.json and the transcript')
  return true
}

function removeForeignRepeats(folder: string, runId: string, signer: ResultSigner): void {
  const { again } = runPaths(folder, runId)
  const as = signedAsGrading(folder, runId)
  for (let n = 1; existsSync(again(n)); n += 1) removeUnsigned(again(n), signer, as)
}

/** Whether a folder with a damaged plan.json has this user's runs of this plan; reports what happens to it. An ended benchmark is not resumed. */
async function recognizeDamagedBenchmark(
  folder: string,
  plan: Plan,
  { hasEnded, context }: { hasEnded: () => boolean | Promise<boolean>; context: FlowContext },
): Promise<boolean> {
  const found: Damage[] = []
  tryReadArtefact(planSchema, benchmarkPaths(folder).plan, (damage) => found.push(damage))
  const isOurs = await hasPlanRun(folder, plan, findSigner(context.env))
  const isLeft = !isOurs || (await hasEnded())
  const mended = isLeft ? 'this benchmark is ignored' : 'its runs belong to this plan, so it is written again'
  for (const damage of found) context.emit({ type: 'artefact_damaged', ...damage, mended })
  return isOurs && found.length > 0
}

async function hasPlanRun(folder: string, plan: Plan, signer: ResultSigner): Promise<boolean> {
  for (const { run_id, key } of plan.runs) {
    const stored = await readRun(folder, run_id)
    if (stored?.record.key === key && isOwnRun(folder, run_id, signer)) return true
  }
  return false
}
