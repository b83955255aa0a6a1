/** Predicts which planned runs come from the cache, and why the others do not. Starts nothing that costs, writes nothing. */
import type { CacheEntry, KeyParts } from '../../../schemas/cache.ts'
import type { CacheExplanation } from '../../../schemas/cache_report.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { errorMessage } from '../../base/errors/error.ts'
import type { WalkedFile } from '../../base/fs/files.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import { buildCacheParts, computeCacheKey } from '../../phases/1-plan/keys/cache_key.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { cachePaths, type SignedCache } from '../../store/cache/cache.ts'
import { readCachedGrading } from '../../store/cache/cache_grading.ts'
import { readOwnEntry } from '../../store/cache/cache_run.ts'
import { findSigner } from '../../store/signing/signer.ts'
import type { FlowContext } from '../flow_context.ts'
import { preflight, type ReadyProbe } from '../prepare/preflight.ts'
import type { BenchRequest, PreparedBench } from '../prepare/prepare_bench.ts'
import { hashCriteria } from './cached_grading.ts'
import { buildJudgeKeyParts, cacheMode, collectCacheContext, isEngineKnown } from './run_cache.ts'

/** In plan order. Rejects only when aborted, or for a skill that can't be read. */
export async function explainCache(
  prepared: PreparedBench,
  request: Pick<BenchRequest, 'cache' | 'fresh' | 'calibrate' | 'passEnv'>,
  context: FlowContext,
): Promise<CacheExplanation[]> {
  const { plan } = prepared
  const mode = cacheMode(request)
  const all = (why: string) => plan.runs.map(({ run_id }) => toRunExplanation({ run_id, key: null, why }))
  if (mode !== 'use') return all(mode === 'off' ? 'the cache is off' : '--fresh does not read the cache')
  const probes = await preflight(
    { '--model': plan.options.engine, '--judge': plan.options.judge },
    request.passEnv,
    context,
  ).catch(errorMessage)
  if (typeof probes === 'string') return all(`the engine can't be asked: ${probes}`)
  const probe = probes.get(JSON.stringify(plan.options.engine)) ?? null
  if (probe === null || !isEngineKnown(probe)) return all('neither version nor content of the engine is known')
  return await explainRuns(prepared, { ...request, probes, probe }, context)
}

interface ProbedEngine extends Pick<BenchRequest, 'passEnv'> {
  probes: ReadonlyMap<string, ReadyProbe>
  probe: ReadyProbe
}

async function explainRuns(
  { plan, folders, workspace }: PreparedBench,
  { passEnv, probes, probe }: ProbedEngine,
  context: FlowContext,
): Promise<CacheExplanation[]> {
  const cache = { ...cachePaths(workspace), signer: findSigner(context.env) }
  const versions = new Map<string, readonly WalkedFile[]>()
  for (const [sha256, folder] of folders) versions.set(sha256, (await listSkillFiles(folder)).files)
  const surroundings = await collectCacheContext({ plan, skillFiles: versions, passEnv, probe }, context)
  const judge = plan.options.judge && buildJudgeKeyParts({ plan, probes, passEnv }, context)
  const known = { plan, judge }
  const entries = new Map<string, CacheEntry>()
  for (const entry of listOwnEntries(cache)) entries.set(entry.key, entry)
  return plan.runs.map((spec): CacheExplanation => {
    const parts = buildCacheParts(spec, surroundings)
    const key = computeCacheKey(parts)
    const entry = entries.get(key)
    if (entry === undefined) return explainMissingEntry({ spec, key, entries: entries.values(), parts })
    const one = plan.cases.find(({ eval_id }) => eval_id === spec.eval_id)
    const criteria = one === undefined ? null : hashCriteria(known, one)
    const graded = criteria !== null && readCachedGrading(cache, { run: key, criteria }, () => {}) !== null
    return { status: 'reused', run_id: spec.run_id, key, from: entry.from, graded }
  })
}

function explainMissingEntry(of: {
  spec: RunSpec
  key: string
  entries: Iterable<CacheEntry>
  parts: CacheEntry['parts']
}) {
  const { run_id } = of.spec
  const nearest = findNearestEntry(of.parts, of.entries)
  if (nearest === null) return toRunExplanation({ run_id, key: of.key, why: 'the cache is empty' })
  const differs = findPartDifferences(nearest.parts, of.parts)
  return {
    ...toRunExplanation({ run_id, key: of.key, why: describePartDifferences(differs) }),
    nearest: nearest.run_id,
    differs,
  }
}

function toRunExplanation(of: { run_id: string; key: string | null; why: string }) {
  return { status: 'made' as const, ...of, nearest: null, differs: [] }
}

export interface PartDifference {
  part: string
  was: string | null
  is: string | null
}

/** Parts in which the two differ, sorted by name. */
export function findPartDifferences(was: KeyParts, is: KeyParts): PartDifference[] {
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  return [...names]
    .filter((part) => was[part] !== is[part])
    .sort()
    .map((part) => ({ part, was: was[part] ?? null, is: is[part] ?? null }))
}

/**
 * Returns the first entry with the fewest differences. Another configuration, prompt or run number counts more than
 * any other change.
 */
export function findNearestEntry<E extends { parts: KeyParts }>(parts: KeyParts, entries: Iterable<E>): E | null {
  let nearest: E | null = null
  let least = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    const distance = countPartDifferences(entry.parts, parts, least)
    if (distance < least) [nearest, least] = [entry, distance]
  }
  return nearest
}

/** Stops counting at `enough`. */
function countPartDifferences(a: KeyParts, b: KeyParts, enough: number): number {
  let distance = a.prompt === b.prompt ? 0 : 1000
  if ((a.skill === 'none') !== (b.skill === 'none')) distance += 100
  for (const name in b) {
    if (distance >= enough) return distance
    if (a[name] !== b[name]) distance += name === 'run number' || name === 'twin' ? 10 : 1
  }
  for (const name in a) if (!(name in b)) distance += 1
  return distance
}

/** One line, such as "skill changed: SKILL.md; engine version 2.1.328 → 2.1.329". */
export function describePartDifferences(all: readonly PartDifference[]): string {
  if (all.some(({ part }) => part === 'prompt')) return 'no cached run has this prompt'
  const files = all.filter(({ part }) => part.startsWith(skillFile))
  const skill = files.length > 0 ? [`skill changed: ${files.map(fileText).join(', ')}`] : []
  const rest = all.filter((one) => !files.includes(one) && !(one.part === 'skill' && files.length > 0))
  return [...skill, ...rest.map(partText)].join('; ')
}

const skillFile = 'skill file '

function fileText({ part, was, is }: PartDifference): string {
  const name = part.slice(skillFile.length)
  if (was === null) return `${name} is new`
  return is === null ? `${name} is gone` : name
}

const hash = /^#?[0-9a-f]{12,64}$/

function partText({ part, was, is }: PartDifference): string {
  if (part === 'run number') return `no cached run has the number ${is}`
  if (part === 'twin') return 'no further cached run has the same inputs'
  if (was === null) return `${part} is new`
  if (is === null) return `${part} is gone`
  return hash.test(was) || hash.test(is) ? `${part} changed` : `${part} ${was} → ${is}`
}

/** Every run's description, without damaged ones and those of other people. */
function* listOwnEntries(cache: SignedCache): Generator<CacheEntry> {
  for (const key of readNames(cache.runs).filter((name) => /^[0-9a-f]{64}$/.test(name))) {
    const entry = readOwnEntry(cache, key)
    if (entry !== null) yield entry
  }
}
