/** Takes over the runs that another benchmark of the same command has paid for: a configuration that both have runs once. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Grading } from '../../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { isRunDone } from '../../store/is_run_done.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { moveRun, readPlan, readRun } from '../../store/store.ts'

/**
 * Copies each finished run of `from` (benchmark folders, absolute) whose key is that of a missing run. The copies name their origin, so that
 * their cost counts once. Returns how many.
 */
export async function shareRuns(
  from: readonly string[],
  { folder, plan }: { folder: string; plan: Plan },
): Promise<number> {
  let copied = 0
  for (const other of from) {
    if (path.resolve(other) === path.resolve(folder)) continue
    const theirs = (await readPlan(other)).runs.filter(({ rerun_of }) => rerun_of === undefined)
    const taken = new Set<string>()
    for (const spec of plan.runs) {
      const own = await readRun(folder, spec.run_id)
      if (spec.rerun_of !== undefined || (own !== null && isRunDone(own, spec))) continue
      const twin = theirs.find(({ run_id, key }) => key === spec.key && !taken.has(run_id))
      if (twin === undefined) continue
      taken.add(twin.run_id)
      if (await copyRun({ other, twin }, folder, spec)) copied += 1
    }
  }
  return copied
}

async function copyRun(
  { other, twin }: { other: string; twin: RunSpec },
  folder: string,
  spec: RunSpec,
): Promise<boolean> {
  const found = await readRun(other, twin.run_id)
  if (found === null || !isRunDone(found, spec)) return false
  const { run_id, eval_id, eval_name, configuration, key } = spec
  const from = { benchmark: path.basename(other), at: found.record.ended_at }
  const record: RunRecord = {
    ...found.record,
    ...{ run_id, eval_id, eval_name, configuration, key },
    cached_from: found.record.cached_from ?? from,
  }
  const partial = path.join(benchmarkPaths(folder).partial, run_id.replaceAll('/', '__'))
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  cpSync(runPaths(other, twin.run_id).folder, partial, { recursive: true, verbatimSymlinks: true })
  const { grading } = found
  writeFileSync(path.join(partial, 'run.json'), `${jsonText(record, 2)}\n`)
  if (grading !== null && existsSync(path.join(partial, 'grading.json')))
    writeFileSync(path.join(partial, 'grading.json'), `${jsonText(asShared(grading, from), 2)}\n`)
  moveRun(partial, folder, run_id)
  return true
}

/** The judge's part names its origin. */
function asShared(grading: Grading, from: RunRecord['cached_from'] & object): Grading {
  const { judge } = grading
  return judge === undefined ? grading : { ...grading, judge: { ...judge, cached_from: judge.cached_from ?? from } }
}
