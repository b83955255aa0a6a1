/** Which planned runs would be taken from the cache, and why the others would be made. Starts nothing that costs, writes nothing. */
import { existsSync } from 'node:fs'
import type { CacheEntry } from '../../schemas/cache.ts'
import type { CacheExplanation } from '../../schemas/cache_report.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import { messageOf } from '../base/error.ts'
import type { WalkedFile } from '../base/files.ts'
import { cacheKey, cacheParts } from '../phases/1-plan/cache_parts.ts'
import { differences, differenceText, nearestEntry } from '../phases/1-plan/explain_parts.ts'
import { skillFiles } from '../phases/1-plan/skill.ts'
import { cacheOf, entryPaths } from '../store/cache.ts'
import { cacheEntries } from '../store/cache_list.ts'
import { criteriaOf } from './cached_grading.ts'
import type { FlowContext } from './context.ts'
import { preflight, type ReadyProbe } from './preflight.ts'
import type { BenchRequest, Prepared } from './prepare.ts'
import { cacheMode, isKnown, judgeParts, surroundingsOf } from './run_cache.ts'

/** In the order of the plan. Rejects only when aborted, or for a skill that can't be read. */
export async function explainCache(
  prepared: Prepared,
  request: Pick<BenchRequest, 'cache' | 'fresh' | 'calibrate' | 'passEnv'>,
  context: FlowContext,
): Promise<CacheExplanation[]> {
  const { plan } = prepared
  const mode = cacheMode(request)
  const all = (why: string) => plan.runs.map(({ run_id }) => made({ run_id, key: null, why }))
  if (mode !== 'use') return all(mode === 'off' ? 'the cache is off' : '--fresh does not read the cache')
  const probes = await preflight(
    { '--model': plan.options.engine, '--judge': plan.options.judge },
    request.passEnv,
    context,
  ).catch(messageOf)
  if (typeof probes === 'string') return all(`the engine can't be asked: ${probes}`)
  const probe = probes.get(JSON.stringify(plan.options.engine)) ?? null
  if (probe === null || !isKnown(probe)) return all('neither version nor content of the engine is known')
  return await explainRuns(prepared, { ...request, probes, probe }, context)
}

interface Asked extends Pick<BenchRequest, 'passEnv'> {
  probes: ReadonlyMap<string, ReadyProbe>
  probe: ReadyProbe
}

async function explainRuns(
  { plan, folders, workspace }: Prepared,
  { passEnv, probes, probe }: Asked,
  context: FlowContext,
): Promise<CacheExplanation[]> {
  const cache = cacheOf(workspace)
  const versions = new Map<string, readonly WalkedFile[]>()
  for (const [sha256, folder] of folders) versions.set(sha256, (await skillFiles(folder)).files)
  const surroundings = await surroundingsOf({ plan, skillFiles: versions, passEnv, probe }, context)
  const judge = plan.options.judge && judgeParts({ plan, probes, passEnv }, context)
  const known = { plan, judge }
  const entries = new Map<string, CacheEntry>()
  for (const entry of cacheEntries(cache)) entries.set(entry.key, entry)
  return plan.runs.map((spec): CacheExplanation => {
    const parts = cacheParts(spec, surroundings)
    const key = cacheKey(parts)
    const entry = entries.get(key)
    if (entry === undefined) return missing({ spec, key, entries: entries.values(), parts })
    const one = plan.cases.find(({ eval_id }) => eval_id === spec.eval_id)
    const criteria = one === undefined ? null : criteriaOf(known, one)
    const graded = criteria !== null && existsSync(`${entryPaths(cache, key).gradings}/${criteria}.json`)
    return { status: 'reused', run_id: spec.run_id, key, from: entry.from, graded }
  })
}

function missing(of: { spec: RunSpec; key: string; entries: Iterable<CacheEntry>; parts: CacheEntry['parts'] }) {
  const { run_id } = of.spec
  const nearest = nearestEntry(of.parts, of.entries)
  if (nearest === null) return made({ run_id, key: of.key, why: 'nothing is kept yet' })
  const differs = differences(nearest.parts, of.parts)
  return { ...made({ run_id, key: of.key, why: differenceText(differs) }), nearest: nearest.run_id, differs }
}

function made(of: { run_id: string; key: string | null; why: string }) {
  return { status: 'made' as const, ...of, nearest: null, differs: [] }
}
