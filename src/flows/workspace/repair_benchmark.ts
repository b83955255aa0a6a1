/** Reports damage that earlier work left in a benchmark, and repairs it at the least cost before a resume. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { type Plan, plan as planSchema, type RunSpec } from '../../../schemas/plan.ts'
import { writeRunFiles } from '../../phases/2-run/collect/write_run.ts'
import { type Damage, readTranscript, tryReadArtefact } from '../../store/artefacts/damage.ts'
import { describeRemoved, readRemoved } from '../../store/artefacts/removed_parts.ts'
import { isRunDone } from '../../store/is_run_done.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { readRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'

/** Checks every stored run of the plan. What the rest of a run can't restore is run or graded again. */
export async function repairBenchmark(folder: string, plan: Plan, context: FlowContext): Promise<void> {
  const limit = pLimit(16)
  const tell = (damage: Damage, mended: string) => context.emit({ type: 'artefact_damaged', ...damage, mended })
  tryReadArtefact(benchmarkSchema, benchmarkPaths(folder).benchmark, (damage) =>
    tell(damage, 'it is written again at the end'),
  )
  const there = plan.runs.filter(({ run_id }) => existsSync(runPaths(folder, run_id).record))
  await Promise.all(there.map((spec) => limit(() => repairRun(folder, spec, tell))))
}

type ReportDamage = (damage: Damage, mended: string) => void

async function repairRun(folder: string, spec: RunSpec, tell: ReportDamage): Promise<void> {
  const paths = runPaths(folder, spec.run_id)
  const found: Damage[] = []
  const stored = await readRun(folder, spec.run_id, (damage) => found.push(damage))
  if (stored === null) for (const damage of found) tell(damage, 'the run starts again')
  if (stored === null || !isRunDone(stored, spec)) return
  const gone = readRemoved(paths.folder)
  if (gone !== null) {
    if (stored.grading !== null) return
    const message = `${paths.folder}: the transcript ${describeRemoved(gone)}, and there is no grading`
    tell({ file: paths.folder, message }, 'the run starts again')
    return await rm(paths.record, { force: true })
  }
  const events = await readTranscript(path.join(paths.folder, 'transcript.jsonl'), stored.record, (damage) => {
    tell(damage, 'the run starts again')
  })
  if (events === null) return await rm(paths.record, { force: true })
  const cheap = found.filter(({ file }) => file !== paths.grading)
  if (cheap.length > 0) {
    // a large file may be a link into the cache, so replace it instead of overwriting
    for (const file of [paths.transcript, paths.timing, paths.metrics]) await rm(file, { recursive: true, force: true })
    await writeRunFiles({ folder: paths.folder, record: stored.record, events, prompt: spec.prompt })
    for (const damage of cheap) tell(damage, 'it is written again from run.json and the transcript')
  }
  const grading = found.find(({ file }) => file === paths.grading)
  if (grading !== undefined) tell(grading, 'the run is graded again')
}

/** Whether a folder with a damaged plan.json has runs of this plan; reports what happens to it. An ended benchmark is not resumed. */
export async function recognizeDamagedBenchmark(
  folder: string,
  plan: Plan,
  { hasEnded, context }: { hasEnded: () => boolean | Promise<boolean>; context: FlowContext },
): Promise<boolean> {
  const found: Damage[] = []
  tryReadArtefact(planSchema, benchmarkPaths(folder).plan, (damage) => found.push(damage))
  const isOurs = await hasPlanRun(folder, plan)
  const isLeft = !isOurs || (await hasEnded())
  const mended = isLeft ? 'this benchmark is ignored' : 'its runs belong to this plan, so it is written again'
  for (const damage of found) context.emit({ type: 'artefact_damaged', ...damage, mended })
  return isOurs && found.length > 0
}

async function hasPlanRun(folder: string, plan: Plan): Promise<boolean> {
  for (const spec of plan.runs) {
    const stored = await readRun(folder, spec.run_id)
    if (stored?.record.key === spec.key) return true
  }
  return false
}
