/** Calibrations of a workspace: written by benchmarks that compare a skill with itself, and used by later ones of the same suite. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Noise } from '../../../schemas/benchmark_statistics.ts'
import { type Calibration, calibration as calibrationSchema } from '../../../schemas/calibration.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { findArms, isCalibration } from '../../phases/4-report/benchmark/arms.ts'
import { measureCalibrationNoise } from '../../phases/4-report/stats/scores/noise.ts'
import { scoredCases } from '../../phases/4-report/stats/scores/scored_runs.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths, type Collection } from '../../store/paths.ts'
import { findSigner, isSignedFile, type ResultSigner, writeSigned } from '../../store/signing/signer.ts'
import { listBenchmarks, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { reportForeignResults } from '../workspace/benchmark_lock.ts'

export function chooseCollection(plan: Plan): Collection {
  const arms = { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration }
  if (plan.search === true) return 'searches'
  if (plan.observational === true) return 'recorded'
  if (plan.watch === true) return 'nights'
  return isCalibration(arms) ? 'calibrations' : 'benchmarks'
}

/** Writes calibration.json into the benchmark folder, signed if all of the benchmark is this user's. */
export async function writeCalibration(folder: string, plan: Plan, made: OwnBenchmark): Promise<void> {
  const { benchmark, signer } = made
  const file = benchmarkPaths(folder).calibration
  const value: Calibration = {
    schema_version: 1,
    skill_name: plan.skill.name,
    created_at: plan.created_at,
    of: calibrationSubject(plan),
    complete: benchmark.complete === true,
    cases: calibrationScores(benchmark),
  }
  if (benchmark.metadata.not_own !== undefined) return await writeArtefact(calibrationSchema, file, value)
  await writeSigned(calibrationSchema, { file }, { value, signer })
}

interface OwnBenchmark {
  benchmark: Benchmark
  signer: ResultSigner
}

/** The noise known for a benchmark in its workspace; null: none. */
export async function readKnownNoise(folder: string, plan: Plan, context: FlowContext): Promise<Noise | null> {
  if (chooseCollection(plan) === 'calibrations') return null
  const calibration = await findKnownCalibration(path.dirname(path.dirname(folder)), plan, context)
  return calibration === null ? null : { calibration, grading: null }
}

/** The newest complete calibration with the same suite, engine, model, judge and baseline; null: there is none. */
async function findKnownCalibration(
  workspace: string,
  plan: Plan,
  context: FlowContext,
): Promise<Noise['calibration']> {
  const wanted = calibrationSubject(plan)
  const evalIds = plan.runs.map(({ eval_id }) => eval_id)
  for (const folder of await listBenchmarks(workspace, 'calibrations')) {
    const file = benchmarkPaths(folder).calibration
    const found = tryReadArtefact(calibrationSchema, file, (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended: 'ignored; the same --calibrate writes it again' }),
    )
    if (found === null || !found.complete || !isAlike(found, wanted)) continue
    const noise = noiseOfCases(found, evalIds)
    if (noise === null) continue
    if (isSignedFile(file, findSigner(context.env))) return noise
    reportForeignResults({ place: file, what: 'a calibration' }, context)
  }
  return null
}

/** If code decides everything, the judge adds no noise. */
function isAlike({ of }: Calibration, wanted: Calibration['of']): boolean {
  const judge = wanted.judge === null ? null : of.judge
  return canonicalJson({ ...of, judge }) === canonicalJson(wanted)
}

function calibrationSubject({ suite, options, baseline }: Plan): Calibration['of'] {
  const { engine, judge } = options
  return { suite_sha256: suite.sha256, engine, judge, baseline_sha256: baseline?.sha256 ?? null }
}

/** The scores of both configurations, by case. */
export function calibrationScores(benchmark: Benchmark): Calibration['cases'] {
  return scoredCases(benchmark.runs, findArms(benchmark)).map(({ evalId, candidate, baseline }) => ({
    eval_id: evalId,
    first: [...baseline],
    again: [...candidate],
  }))
}

/** The noise of exactly these cases; null: the calibration does not have all of them. */
export function noiseOfCases(
  { cases, created_at }: Calibration,
  evalIds: readonly number[],
  alpha = usualOptions.alpha,
): Noise['calibration'] {
  const seen = new Map(cases.map((one) => [one.eval_id, one]))
  const own = [...new Set(evalIds)].flatMap((id) => seen.get(id) ?? [])
  if (own.length === 0 || own.length < new Set(evalIds).size) return null
  const found = measureCalibrationNoise(
    own.map(({ first, again }) => ({ candidate: again, baseline: first })),
    alpha,
  )
  if (found === null) return null
  const runs = Math.min(...own.flatMap(({ first, again }) => [first.length, again.length]))
  return { ...found, runs, made: created_at }
}
