/** The cache of a benchmark: finds runs by what shaped them, and stores new ones. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { KeyParts } from '../../../schemas/cache.ts'
import type { EngineChoice, Plan, RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { hashFile, type WalkedFile } from '../../base/fs/files.ts'
import { sha256 } from '../../base/json/json.ts'
import { listCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import {
  buildCacheParts,
  type CacheContext,
  computeCacheKey,
  numberDuplicateRuns,
} from '../../phases/1-plan/keys/cache_key.ts'
import { pickVariables } from '../../phases/2-run/workspace/run_environment.ts'
import { evidenceDigest } from '../../phases/3-judge/grade/decisions.ts'
import type { SharedCacheWish } from '../../store/cache/cache.ts'
import { cachePaths, openCache, type SignedCache } from '../../store/cache/cache.ts'
import { keepRun, packRun } from '../../store/cache/cache_run.ts'
import { runPaths } from '../../store/paths.ts'
import { findSigner } from '../../store/signing/signer.ts'
import type { FlowContext } from '../flow_context.ts'
import type { ReadyProbe } from '../prepare/preflight.ts'
import type { BenchRequest } from '../prepare/prepare_bench.ts'
import { buildSandboxKeyParts } from '../sandbox/start_sandbox.ts'
import { reportForeignResults } from '../workspace/benchmark_lock.ts'
import { openSharedCache, type SharedCache } from './shared_cache.ts'

/** use: reads and stores; renew: stores new runs over old ones and reads nothing; off: neither. */
export type CacheMode = 'use' | 'renew' | 'off'

/** A fresh benchmark pays again for what it stores. */
type CacheWish = Pick<BenchRequest, 'cache' | 'fresh' | 'calibrate' | 'transcripts'>

export function cacheMode({ cache, fresh, calibrate, transcripts = true }: CacheWish): CacheMode {
  if (!transcripts) return 'off' // it would keep copies
  if (!cache || calibrate === true) return 'off' // calibration measures the noise between new runs
  return fresh ? 'renew' : 'use'
}

export interface JudgeCache {
  cache: SignedCache
  mode: Exclude<CacheMode, 'off'>
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  /** What is known of the judge; null: none is needed. */
  judge: KeyParts | null
  /** The number of each run that asks the same as an earlier run in the plan, by run id. */
  twins: ReadonlyMap<string, number>
  /** The host environment of the runs; null: they ran earlier, so neither they nor their gradings are stored. */
  surroundings: CacheContext | null
  /** null: none is used. */
  shared: SharedCache | null
  tell: (file: string, message: string) => void
  /** Reports entries of somebody else, the first time. `what`: such as "12 cached results". */
  tellForeign: (what: string) => void
}

export interface RunCache extends JudgeCache {
  surroundings: CacheContext
  /** The engine's reported version before the runs. */
  version: string | null
}

export interface CacheRequest {
  plan: Plan
  folder: string
  mode: CacheMode
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** Keyed by the JSON of the choice, as preflight returns them. */
  probes: ReadonlyMap<string, ReadyProbe>
  passEnv: readonly string[]
  /** Absent or null: none is used. */
  sharedCache?: SharedCacheWish | null | undefined
}

/** null: off, or unusable, which an event reports; the benchmark continues without a cache. */
export async function openRunCache(request: CacheRequest, context: FlowContext): Promise<RunCache | null> {
  const probe = request.probes.get(JSON.stringify(request.plan.options.engine)) ?? null
  if (probe === null || !isEngineKnown(probe)) return null
  const judged = await openJudgeCache(request, context)
  if (judged === null) return null
  try {
    const surroundings = await collectCacheContext({ ...request, probe }, context)
    const shared = request.sharedCache ? openSharedCache(request.sharedCache, context) : null
    return { ...judged, surroundings, shared, version: probe.version }
  } catch (error) {
    judged.tell(judged.cache.folder, `${judged.cache.folder}: ${errorMessage(error)}`)
    return null
  }
}

export async function openJudgeCache(
  request: Omit<CacheRequest, 'skillFiles'>,
  context: FlowContext,
): Promise<JudgeCache | null> {
  const { plan, folder, mode } = request
  if (mode === 'off') return null
  const workspace = path.dirname(path.dirname(folder))
  const told = new Set<string>()
  const tell = (file: string, message: string) => {
    if (told.has(file)) return
    told.add(file)
    context.emit({ type: 'artefact_damaged', file, message, mended: 'the benchmark continues without the cache entry' })
  }
  try {
    const judge = buildJudgeKeyParts(request, context)
    const cache = { ...(await openCache(workspace)), signer: findSigner(context.env) }
    const twins = numberDuplicateRuns(plan.runs)
    let isSaid = false
    const tellForeign = (what: string) => {
      if (!isSaid) reportForeignResults({ place: cache.folder, what }, context)
      isSaid = true
    }
    return { cache, mode, plan, folder, surroundings: null, shared: null, judge, twins, tell, tellForeign }
  } catch (error) {
    tell(cachePaths(workspace).folder, `${cachePaths(workspace).folder}: ${errorMessage(error)}`)
    return null
  }
}

/** False if neither version nor content is known: the engine may have changed, so its runs are not stored. */
export function isEngineKnown({ version, identity = {} }: ReadyProbe): boolean {
  return version !== null || Object.keys(identity).length > 0
}

export async function collectCacheContext(
  request: Pick<CacheRequest, 'plan' | 'skillFiles' | 'passEnv'> & { probe: ReadyProbe | null },
  context: Pick<FlowContext, 'env'>,
): Promise<CacheContext> {
  const { plan, probe, passEnv } = request
  return {
    skillFiles: await hashSkillVersions(request.skillFiles),
    twins: numberDuplicateRuns(plan.runs),
    engine: {
      ...buildEngineKeyParts({ choice: plan.options.engine, probe, passEnv }, context),
      ...buildSandboxKeyParts(plan),
    },
  }
}

/** What is known of the judge; null: there is no judge, or nothing is known of it. */
export function buildJudgeKeyParts(
  { plan, probes, passEnv }: Pick<CacheRequest, 'plan' | 'probes' | 'passEnv'>,
  context: Pick<FlowContext, 'env'>,
): KeyParts | null {
  const { judge } = plan.options
  if (judge === null) return null
  const probe = probes.get(JSON.stringify(judge)) ?? null
  if (probe === null || !isEngineKnown(probe)) return null
  const { name, model, command = 'none', base_url = 'none', effort } = judge
  return {
    engine: name,
    model: model ?? 'none',
    command,
    'base url': base_url,
    ...(effort !== undefined && { effort }),
    ...buildEngineKeyParts({ choice: judge, probe, passEnv }, context),
  }
}

/** Stores a newly committed run if it completed as planned. Never rejects: a failure to store is reported once. */
export async function cacheNewRun(runs: RunCache, spec: RunSpec, record: RunRecord): Promise<void> {
  if (record.status !== 'completed' || spec.rerun_of !== undefined) return
  const { version } = record.engine
  if (version !== null && runs.version !== null && version !== runs.version) return // the engine changed during the benchmark
  const parts = buildCacheParts(spec, runs.surroundings)
  const place = runPaths(runs.folder, spec.run_id)
  try {
    const entry = {
      schema_version: 1 as const,
      key: computeCacheKey(parts),
      parts,
      skill_name: runs.plan.skill.name,
      run_id: spec.run_id,
      from: { benchmark: path.basename(runs.folder), at: record.ended_at },
      evidence: evidenceDigest(record, sha256(await readFile(place.transcript, 'utf8'))),
    }
    await keepRun(runs.cache, { entry, folder: place.folder, replace: true }) // an older entry was too old to be reused
    const packed = runs.shared === null ? null : await packRun(entry, place.folder)
    if (packed !== null) await runs.shared?.write('run', entry.key, packed)
  } catch (error) {
    runs.tell(runs.cache.folder, `${runs.cache.folder}: ${errorMessage(error)}`)
  }
}

interface EngineKeyRequest {
  choice: EngineChoice
  /** null: the probe failed. */
  probe: ReadyProbe | null
  passEnv: readonly string[]
}

/** The parts of a cache key for engine and environment. They contain no secret and nothing that reveals one. */
export function buildEngineKeyParts(
  { choice, probe, passEnv }: EngineKeyRequest,
  { env }: Pick<FlowContext, 'env'>,
): KeyParts {
  const parts: KeyParts = { 'engine version': probe?.version ?? 'unknown', ...probe?.identity }
  const credentials = listCredentials(findEngine(choice.name), choice)
  for (const [name, value] of Object.entries(
    pickVariables(
      env,
      credentials.filter((one) => !secret.test(one)),
    ),
  )) {
    parts[`endpoint ${name}`] = redactAddress(value)
  }
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (localeVariable.test(name) || passEnv.includes(name))) {
      parts[`environment ${name}`] = localeVariable.test(name) ? value : `#${sha256(value).slice(0, 12)}`
    }
  }
  return parts
}

const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/

/** User variables that every run gets and that can change an agent's answer: language and time zone. */
const localeVariable = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/

/** A URL without user, password and query; any other text unchanged. */
function redactAddress(value: string): string {
  if (!URL.canParse(value)) return value
  const url = new URL(value)
  const rest = url.username + url.password + url.search
  return `${url.origin}${url.pathname}${rest === '' ? '' : ` #${sha256(rest).slice(0, 12)}`}`
}

/** The sha256 of each file in each skill version, keyed by the version's sha256. */
async function hashSkillVersions(
  versions: ReadonlyMap<string, readonly WalkedFile[]>,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const hashes = new Map<string, Record<string, string>>()
  for (const [version, files] of versions) {
    const all: Record<string, string> = {}
    for (const file of files) all[file.path] = await hashFile(file.source)
    hashes.set(version, all)
  }
  return hashes
}
