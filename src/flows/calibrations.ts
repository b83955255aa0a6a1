/** Calibrations of a workspace: written beside a benchmark of two equal arms, found again by later ones of the same suite. */
import path from 'node:path'
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { Noise } from '../../schemas/benchmark_statistics.ts'
import { type Calibration, calibration as calibrationSchema } from '../../schemas/calibration.ts'
import type { Plan } from '../../schemas/plan.ts'
import { canonicalJson } from '../base/json.ts'
import { isCalibration } from '../phases/4-report/arms.ts'
import { calibrationScores, noiseOfCases } from '../phases/4-report/calibration.ts'
import { readIf } from '../store/damage.ts'
import { benchmarkPaths, type Collection } from '../store/paths.ts'
import { listBenchmarks, writeArtefact } from '../store/store.ts'
import type { FlowContext } from './context.ts'

/** Where a benchmark of this plan lies. */
export function collectionOf(plan: Plan): Collection {
  const arms = { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration }
  return isCalibration(arms) ? 'calibrations' : 'benchmarks'
}

/** Writes calibration.json beside the benchmark. */
export async function writeCalibration(folder: string, plan: Plan, benchmark: Benchmark): Promise<void> {
  await writeArtefact(calibrationSchema, benchmarkPaths(folder).calibration, {
    schema_version: 1,
    skill_name: plan.skill.name,
    created_at: plan.created_at,
    of: ofPlan(plan),
    complete: benchmark.complete === true,
    cases: calibrationScores(benchmark),
  })
}

/** What is known of the noise of a benchmark in its workspace; null: nothing. */
export async function knownNoise(folder: string, plan: Plan, context: FlowContext): Promise<Noise | null> {
  if (collectionOf(plan) === 'calibrations') return null
  const calibration = await knownCalibration(path.dirname(path.dirname(folder)), plan, context)
  return calibration === null ? null : { calibration, grading: null }
}

/** From the newest whole calibration of the same suite, engine, model, judge and baseline; null: there is none. */
async function knownCalibration(workspace: string, plan: Plan, context: FlowContext): Promise<Noise['calibration']> {
  const wanted = ofPlan(plan)
  const evalIds = plan.runs.map(({ eval_id }) => eval_id)
  for (const folder of await listBenchmarks(workspace, 'calibrations')) {
    const found = readIf(calibrationSchema, benchmarkPaths(folder).calibration, (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended: 'passed over; the same --calibrate makes it anew' }),
    )
    if (found === null || !found.complete || !isAlike(found, wanted)) continue
    const noise = noiseOfCases(found, evalIds)
    if (noise !== null) return noise
  }
  return null
}

/** Where code decides everything, no judge makes any noise. */
function isAlike({ of }: Calibration, wanted: Calibration['of']): boolean {
  const judge = wanted.judge === null ? null : of.judge
  return canonicalJson({ ...of, judge }) === canonicalJson(wanted)
}

function ofPlan({ suite, options, baseline }: Plan): Calibration['of'] {
  const { engine, judge } = options
  return { suite_sha256: suite.sha256, engine, judge, baseline_sha256: baseline?.sha256 ?? null }
}
