/** Keys: hashes of everything that shapes a run or a plan, and of nothing else. */
import type { PlanOptions, RunSpec } from '../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'

/** sha256 of what shapes a run: prompt, files by content, skill by content, engine, limits, run number; no paths of this machine. */
export function runKey(spec: Omit<RunSpec, 'key'>): string {
  const { eval_name, run_id, files, skill, ...shaping } = spec
  const inputs = files.map(({ path, sha256: hash }) => ({ path, sha256: hash }))
  return sha256(
    canonicalJson({ ...shaping, files: inputs, skill: skill && { name: skill.name, sha256: skill.sha256 } }),
  )
}

/** sha256 over the keys of all runs and the options. */
export function planId(runs: readonly RunSpec[], options: PlanOptions): string {
  return sha256(canonicalJson({ runs: runs.map(({ key }) => key), options }))
}
