/** Calibrations of a workspace: written by benchmarks that compare a skill with itself, and used by later ones of the same suite. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Noise } from '../../../schemas/benchmark_statistics.ts'
import { type Calibration, calibration as calibrationSchema } from '../../../schemas/calibration.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { isCalibration } from '../../phases/4-report/benchmark/arms.ts'
import { calibrationScores, noiseOfCases } from '../../phases/4-report/judge/calibration.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths, type Collection } from '../../store/paths.ts'
import { isSignedFile, writeSigned } from '../../store/signing/signed_files.ts'
import { findSigner, type ResultSigner } from '../../store/signing/signer.ts'
import { listBenchmarks, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { reportForeignResults } from '../workspace/foreign_results.ts'

/** The collection of a benchmark with this plan. */
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
