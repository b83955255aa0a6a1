/** Cached gradings: a run's complete grading under the same criteria, and a judge's answer to the same question. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { KeyParts } from '../../../schemas/cache.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { timing as timingSchema } from '../../../schemas/timing.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { buildCacheParts, cacheFormat, computeCacheKey } from '../../phases/1-plan/keys/cache_key.ts'
import { checkStartsProcesses } from '../../phases/3-judge/checks/inputs/working_folder.ts'
import { isOverruled } from '../../phases/3-judge/grade/contradictions.ts'
import { evidenceDigest } from '../../phases/3-judge/grade/decisions.ts'
import { hashGradingInputs } from '../../phases/3-judge/grade/grade_run.ts'
import type { JudgeMemory } from '../../phases/3-judge/judge_request.ts'
import { type Damage, tryReadArtefact } from '../../store/artefacts/damage.ts'
import { keepAnswer, keepGrading, readAnswer } from '../../store/cache/cache_grading.ts'
import { runPaths } from '../../store/paths.ts'
import type { JudgeCache, RunCache } from './run_cache.ts'
import { nameSharedGrading } from './shared_cache.ts'

/** The hash of the criteria and the judge; null: a command decides (it runs each time), or the judge is not known. */
export function hashCriteria(runs: Pick<RunCache, 'plan' | 'judge'>, one: SuiteCase): string | null {
  const { judge } = runs.plan.options
  if (one.checks.some((check) => checkStartsProcesses(check, one))) return null
  if (one.expectations.length > 0 && judge !== null && runs.judge === null) return null
  const asks = one.expectations.length > 0 ? runs.judge : null
  const parts: KeyParts = {
    format: String(cacheFormat),
    criteria: computeGradingKey(runs.plan, one, ''),
    ...asks,
  }
  return computeCacheKey(parts)
}

/** Stores the grading of a cached run. Never rejects: a failure to store is reported once. */
export async function cacheNewGrading(runs: JudgeCache, made: NewGrading): Promise<void> {
  const { spec, record, grading } = made
  const { surroundings } = runs
  if (surroundings === null) return
  const criteria = hashCriteria(runs, made.case)
  if (criteria === null || record.status !== 'completed') return
  if ((grading.judge_errors ?? []).length > 0 || isOverruled(grading)) return
  const file = runPaths(runs.folder, spec.run_id).timing
  const timing = tryReadArtefact(timingSchema, file)
  if (timing === null) return
  const from = { benchmark: path.basename(runs.folder), at: timing.grader_end ?? record.ended_at }
  try {
    const run = computeCacheKey(buildCacheParts(spec, surroundings))
    const value = { schema_version: 1 as const, of: record.ended_at, from, grading, timing }
    await keepGrading(runs.cache, { run, criteria }, value)
    const name = nameSharedGrading({ run, criteria, of: record.ended_at })
    await runs.shared?.write('grading', name, Buffer.from(jsonText(value)))
  } catch (error) {
    runs.tell(runs.cache.folder, `${runs.cache.folder}: ${errorMessage(error)}`)
  }
}

interface NewGrading {
  case: SuiteCase
  spec: RunSpec
  record: RunRecord
  grading: Grading
}

/** Remembers the judge's answers about this run's evidence; null where the judge is not known. */
export function createJudgeMemory(runs: JudgeCache, spec: RunSpec, record: RunRecord): JudgeMemory | null {
  if (runs.judge === null) return null
  const judge = runs.judge
  const twin = runs.twins.get(spec.run_id)
  const partsOf = async (prompt: string): Promise<KeyParts> => ({
    ...judge,
    format: String(cacheFormat),
    // the run's key, not its cache entry: a later grading may not know the engine's state at that time
    run: spec.key,
    ...(twin !== undefined && { twin: String(twin) }),
    prompt: sha256(prompt),
    inputs: sha256(canonicalJson(spec.files.map(({ path: name, sha256: content }) => ({ name, content })))),
    evidence: evidenceDigest(record, sha256(await readFile(runPaths(runs.folder, spec.run_id).transcript, 'utf8'))),
  })
  return {
    async recall(prompt) {
      if (runs.mode !== 'use') return null
      const tell = ({ file, message, foreign }: Damage) =>
        foreign ? runs.tellForeign("a judge's cached answer") : runs.tell(file, message)
      return readAnswer(runs.cache, computeCacheKey(await partsOf(prompt)), tell)
    },
    async keep(prompt, { answer, spent }) {
      const from = { benchmark: path.basename(runs.folder), at: new Date().toISOString() }
      try {
        const parts = await partsOf(prompt)
        await keepAnswer(runs.cache, computeCacheKey(parts), { schema_version: 1, parts, from, answer, spent })
      } catch (error) {
        runs.tell(runs.cache.folder, `${runs.cache.folder}: ${errorMessage(error)}`)
      }
    },
  }
}

/** Empty `runKey`: the key covers only the criteria and the judge. */
export function computeGradingKey({ options }: Pick<Plan, 'options'>, one: SuiteCase, runKey: string): string {
  const { judge, on_timeout: onTimeout, judge_samples: samples, require_evidence: requireEvidence } = options
  const { fast_fail: fastFail } = options
  return hashGradingInputs({ runKey, case: one, judge, onTimeout, samples, requireEvidence, fastFail })
}
