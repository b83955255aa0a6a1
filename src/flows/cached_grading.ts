/** Gradings in the cache: a whole one of a run under the same criteria, and the answer of a judge to the same question. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { KeyParts } from '../../schemas/cache.ts'
import type { Grading } from '../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { RunRecord } from '../../schemas/run.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { timing as timingSchema } from '../../schemas/timing.ts'
import { messageOf } from '../base/error.ts'
import { canonicalJson, sha256 } from '../base/json.ts'
import { cacheFormat, cacheKey, cacheParts, twinsIn } from '../phases/1-plan/cache_parts.ts'
import { needsPlace } from '../phases/3-judge/checks/working_folder.ts'
import { evidenceDigest } from '../phases/3-judge/evidence_digest.ts'
import type { JudgeMemory } from '../phases/3-judge/judge.ts'
import { keepAnswer, keepGrading, readAnswer } from '../store/cache_grading.ts'
import { type Damage, readIf } from '../store/damage.ts'
import { runPaths } from '../store/paths.ts'
import { keyOfGrading } from './key_of_grading.ts'
import type { JudgeCache, RunCache } from './run_cache.ts'

/** The hash of the criteria and of who decides them; null: a command decides, which is asked each time, or the judge is not known. */
export function criteriaOf(runs: Pick<RunCache, 'plan' | 'judge'>, one: SuiteCase): string | null {
  const known = criteriaOfPlans.get(runs) ?? new Map<SuiteCase, string | null>()
  criteriaOfPlans.set(runs, known)
  const criteria = known.get(one)
  if (criteria !== undefined) return criteria
  const found = hashOfCriteria(runs, one)
  known.set(one, found)
  return found
}

/** Each case is graded in every run of it. */
const criteriaOfPlans = new WeakMap<object, Map<SuiteCase, string | null>>()

function hashOfCriteria(runs: Pick<RunCache, 'plan' | 'judge'>, one: SuiteCase): string | null {
  const { judge } = runs.plan.options
  if (one.checks.some((check) => needsPlace(check, one))) return null
  if (one.expectations.length > 0 && judge !== null && runs.judge === null) return null
  const asks = one.expectations.length > 0 ? runs.judge : null
  const parts: KeyParts = {
    format: String(cacheFormat),
    criteria: keyOfGrading(runs.plan, one, ''),
    ...asks,
  }
  return cacheKey(parts)
}

/** Keeps the grading of a run that lies in the cache. Never rejects: what can't be kept is told once. */
export async function keepGraded(runs: JudgeCache, made: Made): Promise<void> {
  const { spec, record, grading } = made
  const { surroundings } = runs
  if (surroundings === null) return
  const criteria = criteriaOf(runs, made.case)
  if (criteria === null || record.status !== 'completed' || (grading.judge_errors ?? []).length > 0) return
  const file = runPaths(runs.folder, spec.run_id).timing
  const timing = readIf(timingSchema, file)
  if (timing === null) return
  const from = { benchmark: path.basename(runs.folder), at: timing.grader_end ?? record.ended_at }
  try {
    const run = cacheKey(cacheParts(spec, surroundings))
    await keepGrading(runs.cache, { run, criteria }, { schema_version: 1, of: record.ended_at, from, grading, timing })
  } catch (error) {
    runs.tell(runs.cache.folder, `${runs.cache.folder}: ${messageOf(error)}`)
  }
}

const twinsOfPlans = new WeakMap<Plan, ReadonlyMap<string, number>>()

function twinsOf(plan: Plan): ReadonlyMap<string, number> {
  const twins = twinsOfPlans.get(plan) ?? twinsIn(plan.runs)
  twinsOfPlans.set(plan, twins)
  return twins
}

interface Made {
  case: SuiteCase
  spec: RunSpec
  record: RunRecord
  grading: Grading
}

/** Remembers what a judge said of the evidence of this run; null where it is not known who judges. */
export function judgeMemory(runs: JudgeCache, spec: RunSpec, record: RunRecord): JudgeMemory | null {
  if (runs.judge === null) return null
  const judge = runs.judge
  const twin = twinsOf(runs.plan).get(spec.run_id)
  const partsOf = async (prompt: string): Promise<KeyParts> => ({
    ...judge,
    format: String(cacheFormat),
    // by its shape and not by its entry: whoever grades it later need not know how the engine was then
    run: spec.key,
    ...(twin !== undefined && { twin: String(twin) }),
    prompt: sha256(prompt),
    inputs: sha256(canonicalJson(spec.files.map(({ path: name, sha256: content }) => ({ name, content })))),
    evidence: evidenceDigest(record, await readFile(runPaths(runs.folder, spec.run_id).transcript, 'utf8')),
  })
  return {
    async recall(prompt) {
      if (runs.mode !== 'use') return null
      const tell = (damage: Damage) => runs.tell(damage.file, damage.message)
      return readAnswer(runs.cache, cacheKey(await partsOf(prompt)), tell)
    },
    async keep(prompt, { answer, spent }) {
      const from = { benchmark: path.basename(runs.folder), at: new Date().toISOString() }
      try {
        const parts = await partsOf(prompt)
        await keepAnswer(runs.cache, cacheKey(parts), { schema_version: 1, parts, from, answer, spent })
      } catch (error) {
        runs.tell(runs.cache.folder, `${runs.cache.folder}: ${messageOf(error)}`)
      }
    },
  }
}
