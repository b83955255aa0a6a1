/** Takes over the runs that another benchmark of the same command has paid for: a configuration that both have runs once. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Grading } from '../../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { isOwnGrading, isOwnRun, signRun } from '../../store/signing/own_runs.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { listSignedParts } from '../../store/signing/signer.ts'
import { moveRun, readPlan, readRun } from '../../store/store.ts'

/**
 * Copies each finished run of `from` (benchmark folders, absolute) whose key is that of a missing run. The copies name their origin, so that
 * their cost counts once. Returns how many.
 */
export async function shareRuns(
  from: readonly string[],
  { folder, plan, signer }: { folder: string; plan: Plan; signer: ResultSigner },
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
      if (await copyRun({ other, twin }, { folder, spec, signer })) copied += 1
    }
  }
  return copied
}

async function copyRun(
  { other, twin }: { other: string; twin: RunSpec },
  { folder, spec, signer }: { folder: string; spec: RunSpec; signer: ResultSigner },
): Promise<boolean> {
  const found = await readRun(other, twin.run_id)
  if (found === null || !isRunDone(found, spec) || !isOwnRun(other, twin.run_id, signer)) return false
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
  const grading = isOwnGrading(other, twin.run_id, signer) ? found.grading : null
  const text = `${jsonText(record, 2)}\n`
  writeFileSync(path.join(partial, 'run.json'), text)
  await signRun(partial, run_id, signer)
  rmSync(path.join(partial, 'grading.json'), { force: true })
  if (grading !== null) {
    const signed = { file: path.join(partial, 'grading.json'), as: ['grading', run_id, sha256(text)] }
    for (const [name, part] of listSignedParts(signed, `${jsonText(asShared(grading, from), 2)}\n`, signer))
      writeFileSync(path.join(partial, name), part)
  }
  moveRun(partial, folder, run_id)
  return true
}

/** The judge's part names its origin. */
function asShared(grading: Grading, from: RunRecord['cached_from'] & object): Grading {
  const { judge } = grading
  return judge === undefined ? grading : { ...grading, judge: { ...judge, cached_from: judge.cached_from ?? from } }
}
