/** Restores cached runs into a benchmark before anything starts: each looks like a new run, and its record names where it comes from. */
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type CachedGrading, cachedGrading } from '../../../schemas/cache.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { checkAs, parseJson, sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { buildCacheParts, computeCacheKey } from '../../phases/1-plan/keys/cache_key.ts'
import { type RunOrigin, readOrigin } from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import { summarizeReusedRuns } from '../../phases/4-report/benchmark/provenance.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { Damage } from '../../store/artefacts/damage.ts'
import { keepGrading, readCachedGrading } from '../../store/cache/cache_grading.ts'
import {
  type CachedRun,
  keepPackedRun,
  readCachedRun,
  readOwnEntry,
  restoreRun,
  touchEntry,
} from '../../store/cache/cache_run.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { type EvidenceHashes, isEvidence, signRunText } from '../../store/signing/own_runs.ts'
import { listSignedParts, signaturePath } from '../../store/signing/signer.ts'
import { readRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { toGradeFinishedEvent, toRunFinishedEvent } from '../run_events.ts'
import { computeGradingKey, hashCriteria } from './cached_grading.ts'
import type { CacheRequest, RunCache } from './run_cache.ts'
import { nameSharedGrading, type SharedCache } from './shared_cache.ts'

export interface RestoredRun {
  spec: RunSpec
  record: RunRecord
  grading: Grading | null
}

/** What a benchmark has before anything starts: runs on disk and restored ones. */
export interface EarlierRuns {
  /** By run id, without reruns. */
  origins: Map<string, RunOrigin>
  restored: RestoredRun[]
}

/** Restores what the cache has of the missing runs. Reports nothing yet. */
export async function restoreCachedRuns(
  { plan, folder, cache }: Pick<CacheRequest, 'plan' | 'folder'> & { cache: RunCache | null },
  context: FlowContext,
): Promise<EarlierRuns> {
  if (cache?.mode === 'use') await fetchSharedRuns({ plan, folder, cache }, context)
  const cases = new Map(plan.cases.map((one) => [one.eval_id, one]))
  const earlier: EarlierRuns = { origins: new Map(), restored: [] }
  const foreign = new Set<string>()
  for (const spec of plan.runs) {
    await turn() // lets Ctrl-C take effect
    if (context.drain.aborted || context.signal.aborted) break
    const one = cases.get(spec.eval_id)
    if (one === undefined || spec.rerun_of !== undefined) continue
    const stored = await readRun(folder, spec.run_id)
    const isThere = stored !== null && isRunDone(stored, spec)
    const made = isThere || cache?.mode !== 'use' ? null : await restore(cache, { spec, one, foreign }, context)
    if (made !== null) earlier.restored.push(made)
    const record = isThere ? stored.record : made?.record
    if (record !== undefined) earlier.origins.set(spec.run_id, readOrigin(record))
  }
  if (foreign.size > 0) cache?.tellForeign(formatPlural(foreign.size, 'cached result'))
  return earlier
}

/** Reports restored runs as finished; returns the ids of those that need nothing more. */
export function announceRestoredRuns(
  restored: readonly RestoredRun[],
  plan: Plan,
  context: FlowContext,
): ReadonlySet<string> {
  const settled = new Set<string>()
  const ungraded = new Set(
    plan.cases.flatMap((one) => (one.expectations.length + one.checks.length === 0 ? [one.eval_id] : [])),
  )
  for (const { spec, record, grading } of restored) {
    context.emit(toRunFinishedEvent(spec, record))
    if (grading !== null) context.emit(toGradeFinishedEvent(spec, grading, true))
    if (grading !== null || ungraded.has(spec.eval_id)) settled.add(spec.run_id)
  }
  const reused = summarizeReusedRuns(restored.map(({ record }) => record))
  if (reused === null) return settled
  const { agent_usd: _, judge_usd: __, ...counts } = reused
  context.emit({ type: 'runs_reused', planned: plan.runs.length, ...counts })
  return settled
}

interface Wanted {
  spec: RunSpec
  one: SuiteCase
  /** Gets the files that are somebody else's. */
  foreign: Set<string>
}

async function restore(runs: RunCache, wanted: Wanted, context: FlowContext): Promise<RestoredRun | null> {
  const { spec, one } = wanted
  const found = await find(runs, wanted, context)
  if (found === null) return null
  const { record, grading } = take(runs, { spec, one, found })
  touchEntry(runs.cache, found.entry.key, context.now())
  return { spec, record, grading }
}

interface CachedRunParts extends CachedRun {
  record: RunRecord
  grading: CachedGrading | null
}

async function find(runs: RunCache, of: Wanted, context: FlowContext): Promise<CachedRunParts | null> {
  const { cache } = runs
  const tell = ({ foreign, ...damage }: Damage) => {
    if (foreign) return void of.foreign.add(damage.file)
    context.emit({
      type: 'artefact_damaged',
      ...damage,
      mended: 'removed from the cache; the run starts again',
    })
  }
  const key = computeCacheKey(buildCacheParts(of.spec, runs.surroundings))
  const run = await readCachedRun(cache, key, tell)
  if (run === null) return null
  const record = checkAs(runRecord, parseJson(String(run.small.get('run.json')), 'run.json'), `${key}: run.json`)
  const criteria = hashCriteria(runs, of.one)
  const grading = criteria === null ? null : readCachedGrading(cache, { run: key, criteria }, tell)
  return { record, grading: grading?.of === record.ended_at ? grading : null, ...run }
}

/** Restores the run as this benchmark's own; a null grading is missing and still to do. */
function take(runs: RunCache, { spec, one, found }: { spec: RunSpec; one: SuiteCase; found: CachedRunParts }) {
  const { run_id: runId, eval_id, eval_name, configuration, key } = spec
  const record: RunRecord = {
    ...found.record,
    ...{ run_id: runId, eval_id, eval_name, configuration, key },
    cached_from: found.entry.from,
  }
  const texts = new Map([['run.json', pretty(record)]])
  const { signer } = runs.cache
  texts.set(signaturePath('run.json'), signRunText(runId, pretty(record), listEvidence(found), signer))
  const grading = found.grading && toReusedGrading(runs, { spec, one, grading: found.grading })
  if (found.grading !== null && grading !== null) {
    const signed = { file: 'grading.json', as: ['grading', runId, sha256(pretty(record))] }
    for (const [name, text] of listSignedParts(signed, pretty(grading), signer)) texts.set(name, text)
    texts.set('timing.json', pretty(found.grading.timing))
  }
  const partial = path.join(benchmarkPaths(runs.folder).partial, runId.replaceAll('/', '__'))
  restoreRun(found, texts, { partial, benchmark: runs.folder, runId })
  return { record, grading }
}

/** Small files are in memory; the hash of a large one was just verified. */
function listEvidence({ entry, small }: CachedRun): EvidenceHashes {
  const known = entry.files.filter(({ path: name }) => isEvidence(name))
  return known.map((file) => [file.path, file.sha256 ?? sha256(small.get(file.path) ?? '')])
}

/** The grading as this benchmark's own; names the origin of the judge's part. */
function toReusedGrading(runs: RunCache, of: { spec: RunSpec; one: SuiteCase; grading: CachedGrading }) {
  const { grading, from } = of.grading
  return {
    ...grading,
    ...(grading.judge && { judge: { ...grading.judge, cached_from: grading.judge.cached_from ?? from } }),
    graded_key: computeGradingKey(runs.plan, of.one, of.spec.key),
  }
}

function pretty(value: unknown): string {
  return `${jsonText(value, 2)}\n`
}

/** Each has a whole run in memory. */
const atOnce = 8

/** Fetches the missing runs of the plan, with their gradings. Never rejects for what the shared cache has or does. */
async function fetchSharedRuns(
  { plan, folder, cache }: Pick<CacheRequest, 'plan' | 'folder'> & { cache: RunCache },
  context: FlowContext,
): Promise<void> {
  const { shared } = cache
  if (shared === null) return
  const cases = new Map(plan.cases.map((one) => [one.eval_id, one]))
  const limit = pLimit(atOnce)
  const fetch = async (spec: RunSpec) => {
    const one = cases.get(spec.eval_id)
    if (one === undefined || spec.rerun_of !== undefined || context.drain.aborted || context.signal.aborted) return
    const stored = await readRun(folder, spec.run_id)
    if (stored === null || !isRunDone(stored, spec)) await fetchRun({ cache, shared }, { spec, one })
  }
  await Promise.all(plan.runs.map((spec) => limit(() => fetch(spec))))
}

async function fetchRun(
  { cache, shared }: { cache: RunCache; shared: SharedCache },
  { spec, one }: { spec: RunSpec; one: SuiteCase },
): Promise<void> {
  const run = computeCacheKey(buildCacheParts(spec, cache.surroundings))
  if (readOwnEntry(cache.cache, run) !== null) return
  const packed = await shared.read('run', run)
  if (packed === null) return
  try {
    const { ended_at: of } = await keepPackedRun(cache.cache, run, packed)
    const criteria = hashCriteria(cache, one)
    const name = criteria === null ? null : nameSharedGrading({ run, criteria, of })
    const found = name === null ? null : await shared.read('grading', name)
    if (criteria === null || found === null) return
    const grading = checkAs(cachedGrading, parseJson(found.toString('utf8'), 'grading'), 'grading')
    await keepGrading(cache.cache, { run, criteria }, grading)
  } catch (error) {
    shared.refuse(run, errorMessage(error))
  }
}
