/** Takes runs from the cache into a benchmark before anything is started: each laid out and graded as if made, saying where it is from. */
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { CachedGrading } from '../../schemas/cache.ts'
import type { Grading } from '../../schemas/grading.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import { countedOf, type RunRecord, runRecord } from '../../schemas/run.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { checkAs, parseJson } from '../base/json.ts'
import { cacheKey, cacheParts } from '../phases/1-plan/cache_parts.ts'
import { reusedOf } from '../phases/4-report/reused.ts'
import { readCachedGrading } from '../store/cache_grading.ts'
import { type CachedRun, readCachedRun, touchEntry } from '../store/cache_run.ts'
import type { Damage } from '../store/damage.ts'
import type { Laying } from '../store/lay_run.ts'
import type { Layer } from '../store/lay_runs.ts'
import { benchmarkPaths, runPaths } from '../store/paths.ts'
import { readRun } from '../store/store.ts'
import type { LaidRun } from './audited.ts'
import { criteriaOf } from './cached_grading.ts'
import type { FlowContext } from './context.ts'
import { isDone } from './execute.ts'
import { keyOfGrading } from './key_of_grading.ts'
import type { DetailsAhead } from './page/details_ahead.ts'
import type { RunCache } from './run_cache.ts'
import { gradeFinished, runFinished } from './run_events.ts'

/** Runs that are laid out together, and then told of. */
const batch = 32

/** Batches that are on their way at once, and the bytes in them: a thread that has just been started has some to begin with. */
const ahead = { batches: 8, bytes: 16 * 1024 * 1024 }

/** What counts of each run that needs nothing more, by run id: as it lies on disk now. */
export type Settled = ReadonlyMap<string, LaidRun>

/** Who does what else beside it. */
export interface Helpers {
  layer: Layer
  /** What the page will show of the runs is packed meanwhile; null: it is not. */
  details: DetailsAhead | null
}

/** Takes what is there of the runs that are missing. */
export async function reuseRuns(
  runs: RunCache | null,
  context: FlowContext,
  { layer, details }: Helpers,
): Promise<Settled> {
  const settled = new Map<string, LaidRun>()
  if (runs?.mode !== 'use') return settled
  const specs = runs.plan.runs
  const cases = new Map(runs.plan.cases.map((one) => [one.eval_id, one]))
  const records: RunRecord[] = []
  const settle = async (taken: readonly Taken[], laid: Promise<void>, before: Promise<void> | undefined) => {
    await before
    await laid
    details?.prepare(
      runs.folder,
      taken.flatMap(({ grading, laying }) => (grading === null ? [] : [laying.target])),
    )
    for (const { spec, one, key, record, grading, evidence } of taken) {
      records.push(record)
      touchEntry(runs.cache, key, context.now())
      context.emit(runFinished(spec, record))
      if (grading !== null) context.emit(gradeFinished(spec, grading, true))
      if (grading === null && one.expectations.length + one.checks.length > 0) continue
      settled.set(spec.run_id, { record: countedOf(record), grading, timing: null, metrics: null, evidence })
    }
  }
  const underWay: { told: Promise<void>; bytes: number }[] = []
  const isFull = () => underWay.length >= ahead.batches || sum(underWay.map(({ bytes }) => bytes)) > ahead.bytes
  for (let at = 0; at < specs.length; at += batch) {
    await turn()
    if (context.drain.aborted || context.signal.aborted) break
    const taken: Taken[] = []
    for (const spec of specs.slice(at, at + batch)) {
      const one = cases.get(spec.eval_id)
      if (one === undefined || spec.rerun_of !== undefined || (await isThere(runs, spec))) continue
      const found = await find(runs, { spec, one }, context)
      if (found !== null) taken.push(take(runs, { spec, one, found }))
    }
    const told = settle(taken, layer.lay(taken.map(({ laying }) => laying)), underWay.at(-1)?.told)
    told.catch(() => {}) // thrown where it is waited for
    underWay.push({ told, bytes: sum(taken.map(({ laying }) => bytesOf(laying))) })
    while (isFull()) await underWay.shift()?.told
  }
  await underWay.at(-1)?.told
  tell(records, runs, context)
  return settled
}

async function isThere({ folder }: RunCache, spec: RunSpec): Promise<boolean> {
  const stored = await readRun(folder, spec.run_id)
  return stored !== null && isDone(stored, spec)
}

interface Found extends CachedRun {
  record: RunRecord
  grading: CachedGrading | null
}

async function find(
  runs: RunCache,
  of: { spec: RunSpec; one: SuiteCase },
  context: FlowContext,
): Promise<Found | null> {
  const { cache } = runs
  const tell = (damage: Damage) =>
    context.emit({
      type: 'artefact_damaged',
      ...damage,
      mended: 'it is no longer in the cache; what it held is made anew',
    })
  const key = cacheKey(cacheParts(of.spec, runs.surroundings))
  const run = await readCachedRun(cache, key, tell)
  if (run === null) return null
  const record = checkAs(runRecord, parseJson(String(run.small.get('run.json')), 'run.json'), `${key}: run.json`)
  const criteria = criteriaOf(runs, of.one)
  const grading = criteria === null ? null : readCachedGrading(cache, { run: key, criteria }, tell)
  return { record, grading: grading?.of === record.ended_at ? grading : null, ...run }
}

/** A run as it will lie in this benchmark; no grading: it is missing. */
interface Taken {
  spec: RunSpec
  one: SuiteCase
  /** Of its entry. */
  key: string
  record: RunRecord
  grading: Grading | null
  evidence: string
  laying: Laying
}

function take(runs: RunCache, { spec, one, found }: { spec: RunSpec; one: SuiteCase; found: Found }): Taken {
  const { run_id, eval_id, eval_name, configuration, key } = spec
  const { small, executable, large, entry } = found
  const record: RunRecord = {
    ...found.record,
    ...{ run_id, eval_id, eval_name, configuration, key },
    cached_from: entry.from,
  }
  const replaced = new Map([['run.json', pretty(record)]])
  const grading = found.grading && regraded(runs, { spec, one, grading: found.grading })
  if (found.grading !== null && grading !== null) {
    replaced.set('grading.json', pretty(grading)).set('timing.json', pretty(found.grading.timing))
  }
  // not synced: what a power failure takes is in the cache still
  const aside = path.join(benchmarkPaths(runs.folder).partial, run_id.replaceAll('/', '__'))
  const laying = { small, executable, large, replaced, aside, target: runPaths(runs.folder, run_id).folder }
  return { spec, one, key: entry.key, record, grading, evidence: entry.evidence, laying }
}

/** The grading as this benchmark's own, saying where the judge's part is from. */
function regraded(runs: RunCache, of: { spec: RunSpec; one: SuiteCase; grading: CachedGrading }) {
  const { grading, from } = of.grading
  return {
    ...grading,
    ...(grading.judge && { judge: { ...grading.judge, cached_from: grading.judge.cached_from ?? from } }),
    graded_key: keyOfGrading(runs.plan, of.one, of.spec.key),
  }
}

function tell(taken: readonly RunRecord[], runs: RunCache, context: FlowContext): void {
  const reused = reusedOf(taken)
  if (reused === null) return
  const { runs: count, oldest, by_configuration } = reused
  context.emit({ type: 'runs_reused', runs: count, planned: runs.plan.runs.length, oldest, by_configuration })
}

function bytesOf({ small }: Laying): number {
  return sum(Array.from(small.values(), ({ byteLength }) => byteLength))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
