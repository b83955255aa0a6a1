/** Puts the shards of a benchmark together: copies their runs into a new folder with one plan. */
import { cp, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Plan, plan as planSchema } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { computePlanId } from '../../phases/1-plan/keys/plan_keys.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { isOwnPlan, readPlan, writeArtefact, writePlan } from '../../store/store.ts'

interface ShardPlan {
  folder: string
  plan: Plan
}

/** `folders`: benchmarks, absolute. Throws UserError for plans that are not shards of one benchmark, and if `target` is not empty. */
export async function mergeShards(folders: readonly string[], target: string, signer: ResultSigner): Promise<void> {
  const shards: ShardPlan[] = []
  for (const folder of folders) shards.push({ folder, plan: await readPlan(folder) })
  const merged = mergePlans(shards)
  if ((await readdir(target).catch(() => [])).length > 0)
    throw new UserError(`--output ${target}: not empty`, 'name a new folder')
  await mkdir(target, { recursive: true })
  for (const { folder, plan } of shards) {
    for (const place of new Set(plan.runs.map(({ run_id }) => run_id.split('/')[0] ?? ''))) {
      const copied = { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false }
      await cp(path.join(folder, place), path.join(target, place), copied).catch(ignoreMissing)
    }
  }
  if (folders.every((folder) => isOwnPlan(folder, signer))) await writePlan(target, merged, signer)
  else await writeArtefact(planSchema, benchmarkPaths(target).plan, merged)
}

/** A case whose runs have not begun; they count as missing. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** One plan with all cases and runs, by eval_id. */
function mergePlans(shards: readonly ShardPlan[]): Plan {
  const [first, ...others] = shards
  if (first === undefined) throw new UserError('no shard to put together', 'name the folders of the shards')
  for (const other of others) refuseDifferent(first, other)
  refuseRepeatedCases(shards)
  const plans = shards.map(({ plan }) => plan)
  const cases = plans.flatMap((plan) => plan.cases).sort((a, b) => a.eval_id - b.eval_id)
  const runs = plans.flatMap((plan) => plan.runs).sort((a, b) => a.run_number - b.run_number || a.eval_id - b.eval_id)
  const { chosen, ...rest } = first.plan
  const isWhole = chosen === undefined || cases.length === chosen.of
  const warnings = new Map(plans.flatMap((plan) => plan.warnings).map((one) => [canonicalJson(one), one]))
  return {
    ...rest,
    plan_id: computePlanId(runs, rest.options),
    created_at: plans.map(({ created_at }) => created_at).sort()[0] ?? rest.created_at,
    cases,
    ...(!isWhole && { chosen: { eval_ids: cases.map(({ eval_id }) => eval_id), of: chosen.of } }),
    runs,
    warnings: [...warnings.values()],
    calls: {
      agent_runs: plans.reduce((sum, { calls }) => sum + calls.agent_runs, 0),
      judge_calls: plans.reduce((sum, { calls }) => sum + calls.judge_calls, 0),
    },
  }
}

/** What must be the same in all shards; each with its name in messages. */
const sharedParts: readonly [name: string, read: (plan: Plan) => unknown][] = [
  ['skill', ({ skill }) => skill.sha256],
  ['baseline', ({ baseline }) => baseline?.sha256 ?? null],
  ['suite', ({ suite }) => suite.sha256],
  ['configurations', (plan) => [plan.candidate_configuration, plan.baseline_configuration]],
  ['settings', ({ options }) => options],
]

function refuseDifferent(first: ShardPlan, other: ShardPlan): void {
  const differs = sharedParts.filter(([, read]) => canonicalJson(read(first.plan)) !== canonicalJson(read(other.plan)))
  if (differs.length > 0) {
    throw new UserError(
      `${other.folder}: not a shard of the same benchmark as ${first.folder} (another ${differs.map(([name]) => name).join(', ')})`,
      'put together only folders of the same command, which differ in --shard',
    )
  }
  if (first.plan.options.until !== undefined || first.plan.search === true) {
    const fix = 'use a fixed number of --runs with --shard'
    throw new UserError(`${first.folder}: a benchmark of --until or improve has no shards`, fix)
  }
}

function refuseRepeatedCases(shards: readonly ShardPlan[]): void {
  const places = new Map<number, string>()
  for (const { folder, plan } of shards) {
    for (const { eval_id } of plan.cases) {
      const other = places.get(eval_id)
      if (other !== undefined)
        throw new UserError(`${folder}: case ${eval_id} is also in ${other}`, 'name each shard once')
      places.set(eval_id, folder)
    }
  }
}
