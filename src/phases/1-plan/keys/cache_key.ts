/** Builds a run's cache key from named parts, which also explain a miss. */
import type { KeyParts } from '../../../../schemas/cache.ts'
import type { RunSpec } from '../../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { findEngine, listSkillsFolders } from '../../../engines/table.ts'
import { runShape } from './plan_keys.ts'

/** Increase it when Whetstone changes how it runs or grades, so that older cache entries are not reused. */
export const cacheFormat = 3

export interface CacheContext {
  /** Skill version (sha256) → the sha256 of every file. */
  skillFiles: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Run id → number among equal runs of the plan: see numberDuplicateRuns. */
  twins: ReadonlyMap<string, number>
  /** Facts about engine and environment outside the plan: version, program, endpoints, … */
  engine: KeyParts
}

/** Every part of the run's shape, and the engine's facts. */
export function buildCacheParts(spec: Omit<RunSpec, 'key'>, { skillFiles, twins, engine }: CacheContext): KeyParts {
  const { prompt, files, skill, engine: choice, ...rest } = runShape(spec)
  const parts: KeyParts = {
    format: String(cacheFormat),
    prompt: sha256(prompt),
    skill: skill ?? 'none',
    ...prefixKeys('skill file', (skill !== null && skillFiles.get(skill)) || {}),
    ...(skill === null ? {} : describeSkillsFolders(choice)),
  }
  for (const { path, kind, content, executable } of files)
    parts[`input ${kind} ${path}`] = executable ? `${content} executable` : content
  for (const [name, value] of Object.entries({ engine: choice.name, ...choice, ...rest })) {
    if (name !== 'name') parts[name.replaceAll('_', ' ')] = formatPartValue(value)
  }
  const twin = twins.get(spec.run_id)
  if (twin !== undefined) parts.twin = String(twin)
  const both = Object.keys(engine).find((name) => Object.hasOwn(parts, name))
  if (both !== undefined) throw new Error(`two parts of the cache key are named ${both}: one would hide the other`)
  return { ...parts, ...engine }
}

/** The further places of the skill, if there are any: a run from before there were any had none of them. */
function describeSkillsFolders(choice: RunSpec['engine']): KeyParts {
  const [, ...others] = listSkillsFolders(findEngine(choice.name), choice)
  return others.length === 0 ? {} : { 'further skills folders': others.join(' ') }
}

/**
 * Numbers runs of one shape in a plan (two cases with the same prompt, two configurations with the same skill): the second is 2,
 * and so on. The first run of a shape is not in the map.
 */
export function numberDuplicateRuns(runs: readonly Pick<RunSpec, 'run_id' | 'key'>[]): ReadonlyMap<string, number> {
  const seen = new Map<string, number>()
  const twins = new Map<string, number>()
  for (const { run_id, key } of runs) {
    const number = (seen.get(key) ?? 0) + 1
    seen.set(key, number)
    if (number > 1) twins.set(run_id, number)
  }
  return twins
}

/** Hashes the parts and nothing else, so that the parts explain the key completely. */
export function computeCacheKey(parts: KeyParts): string {
  return sha256(canonicalJson(parts))
}

function prefixKeys(prefix: string, parts: Readonly<Record<string, string>>): KeyParts {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [`${prefix} ${name}`, value]))
}

const longest = 80

function formatPartValue(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const text = typeof value === 'string' ? value : canonicalJson(value)
  return text.length > longest ? sha256(text) : text
}
