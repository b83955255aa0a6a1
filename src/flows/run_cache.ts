/** The cache as a benchmark uses it: its runs by what shaped them, and what is kept of those that were made. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { KeyParts } from '../../schemas/cache.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { RunRecord } from '../../schemas/run.ts'
import { messageOf } from '../base/error.ts'
import type { WalkedFile } from '../base/files.ts'
import { cacheKey, cacheParts, type RunSurroundings, twinsIn } from '../phases/1-plan/cache_parts.ts'
import { evidenceDigest } from '../phases/3-judge/evidence_digest.ts'
import { type Cache, cacheOf, openCache } from '../store/cache.ts'
import { keepRun } from '../store/cache_run.ts'
import { runPaths } from '../store/paths.ts'
import { engineParts, skillHashes } from './cache_surroundings.ts'
import type { FlowContext } from './context.ts'
import type { ReadyProbe } from './preflight.ts'
import type { BenchRequest } from './prepare.ts'
import { sandboxParts } from './start_sandbox.ts'

/** use: reads and keeps; renew: what is made replaces what was kept, nothing is read; off: neither. */
export type CacheMode = 'use' | 'renew' | 'off'

/** A fresh benchmark pays anew for what it keeps. */
export function cacheMode({ cache, fresh, calibrate }: Pick<BenchRequest, 'cache' | 'fresh' | 'calibrate'>): CacheMode {
  if (!cache || calibrate === true) return 'off' // noise is what differs between runs that are made
  return fresh ? 'renew' : 'use'
}

/** What judges answered, as a benchmark uses it. */
export interface JudgeCache {
  cache: Cache
  mode: Exclude<CacheMode, 'off'>
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  /** What is known of the judge; null: none is needed. */
  judge: KeyParts | null
  /** What surrounds the runs; null: they were made earlier, and neither they nor their gradings are kept. */
  surroundings: RunSurroundings | null
  tell: (file: string, message: string) => void
}

export interface RunCache extends JudgeCache {
  surroundings: RunSurroundings
  /** The version of the engine by its own word before the runs. */
  version: string | null
}

export interface CacheRequest {
  plan: Plan
  folder: string
  mode: CacheMode
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** By the JSON of the choice, as preflight gives them. */
  probes: ReadonlyMap<string, ReadyProbe>
  passEnv: readonly string[]
}

/** null: off, or it can't be used, which is told; a benchmark goes on without it. */
export async function openRunCache(request: CacheRequest, context: FlowContext): Promise<RunCache | null> {
  const probe = request.probes.get(JSON.stringify(request.plan.options.engine)) ?? null
  if (probe === null || !isKnown(probe)) return null
  const judged = await openJudgeCache(request, context)
  if (judged === null) return null
  try {
    const surroundings = await surroundingsOf({ ...request, probe }, context)
    return { ...judged, surroundings, version: probe.version }
  } catch (error) {
    judged.tell(judged.cache.folder, `${judged.cache.folder}: ${messageOf(error)}`)
    return null
  }
}

/** The same for work on runs that are there: only what judges answer is taken and kept. */
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
    context.emit({ type: 'artefact_damaged', file, message, mended: 'the benchmark goes on without it' })
  }
  try {
    const judge = judgeParts(request, context)
    return { cache: await openCache(workspace), mode, plan, folder, surroundings: null, judge, tell }
  } catch (error) {
    tell(cacheOf(workspace).folder, `${cacheOf(workspace).folder}: ${messageOf(error)}`)
    return null
  }
}

/** An engine of which neither version nor content is known may have changed: its runs are not kept. */
export function isKnown({ version, identity = {} }: ReadyProbe): boolean {
  return version !== null || Object.keys(identity).length > 0
}

export async function surroundingsOf(
  request: Pick<CacheRequest, 'plan' | 'skillFiles' | 'passEnv'> & { probe: ReadyProbe | null },
  context: Pick<FlowContext, 'env'>,
): Promise<RunSurroundings> {
  const { plan, probe, passEnv } = request
  return {
    skillFiles: await skillHashes(request.skillFiles),
    twins: twinsIn(plan.runs),
    engine: { ...engineParts({ choice: plan.options.engine, probe, passEnv }, context), ...sandboxParts(plan) },
  }
}

/** What is known of the judge; null: nobody judges, or nothing is known of it. */
export function judgeParts(
  { plan, probes, passEnv }: Pick<CacheRequest, 'plan' | 'probes' | 'passEnv'>,
  context: Pick<FlowContext, 'env'>,
): KeyParts | null {
  const { judge } = plan.options
  if (judge === null) return null
  const probe = probes.get(JSON.stringify(judge)) ?? null
  if (probe === null || !isKnown(probe)) return null
  const { name, model, command = 'none', base_url = 'none' } = judge
  return {
    engine: name,
    model: model ?? 'none',
    command,
    'base url': base_url,
    ...engineParts({ choice: judge, probe, passEnv }, context),
  }
}

/** Keeps a run that was just committed: a completed one, made as planned. Never rejects: what can't be kept is told once. */
export async function keepMade(runs: RunCache, spec: RunSpec, record: RunRecord): Promise<void> {
  if (record.status !== 'completed' || spec.rerun_of !== undefined) return
  const { version } = record.engine
  if (version !== null && runs.version !== null && version !== runs.version) return // it changed meanwhile
  const parts = cacheParts(spec, runs.surroundings)
  const place = runPaths(runs.folder, spec.run_id)
  try {
    const entry = {
      schema_version: 1 as const,
      key: cacheKey(parts),
      parts,
      skill_name: runs.plan.skill.name,
      run_id: spec.run_id,
      from: { benchmark: path.basename(runs.folder), at: record.ended_at },
      evidence: evidenceDigest(record, await readFile(place.transcript, 'utf8')),
    }
    await keepRun(runs.cache, { entry, folder: place.folder, replace: runs.mode === 'renew' })
  } catch (error) {
    runs.tell(runs.cache.folder, `${runs.cache.folder}: ${messageOf(error)}`)
  }
}
