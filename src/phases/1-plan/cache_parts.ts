/** The parts of a run's cache key, by the names under which a miss is explained. */
import type { KeyParts } from '../../../schemas/cache.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'
import { runShape } from './key.ts'

/** Raised when Whetstone itself makes runs or gradings in another way: what was cached before is then not reused. */
export const cacheFormat = 1

export interface RunSurroundings {
  /** Of each skill version, by its sha256: the sha256 of every file. */
  skillFiles: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** The twins of the plan, by run id: see twinsIn. */
  twins: ReadonlyMap<string, number>
  /** What is known of engine and environment outside the plan: version, program, endpoints, … */
  engine: KeyParts
}

/** Everything of the run's shape, part by part, and what surrounds it. */
export function cacheParts(spec: Omit<RunSpec, 'key'>, { skillFiles, twins, engine }: RunSurroundings): KeyParts {
  const { prompt, files, skill, engine: choice, ...rest } = runShape(spec)
  const parts: KeyParts = {
    format: String(cacheFormat),
    prompt: sha256(prompt),
    skill: skill ?? 'none',
    ...prefixed('skill file', (skill !== null && skillFiles.get(skill)) || {}),
  }
  for (const { path, kind, content, executable } of files)
    parts[`input ${kind} ${path}`] = executable ? `${content} executable` : content
  for (const [name, value] of Object.entries({ engine: choice.name, ...choice, ...rest })) {
    if (name !== 'name') parts[name.replaceAll('_', ' ')] = shown(value)
  }
  const twin = twins.get(spec.run_id)
  if (twin !== undefined) parts.twin = String(twin)
  const both = Object.keys(engine).find((name) => Object.hasOwn(parts, name))
  if (both !== undefined) throw new Error(`two parts of the cache key are named ${both}: one would hide the other`)
  return { ...parts, ...engine }
}

/**
 * Runs of one shape in a plan (two cases with the same prompt, two arms with the same skill) are runs of their own: the second
 * is number 2, and so on; a run without a twin before it is not in the map.
 */
export function twinsIn(runs: readonly Pick<RunSpec, 'run_id' | 'key'>[]): ReadonlyMap<string, number> {
  const seen = new Map<string, number>()
  const twins = new Map<string, number>()
  for (const { run_id, key } of runs) {
    const number = (seen.get(key) ?? 0) + 1
    seen.set(key, number)
    if (number > 1) twins.set(run_id, number)
  }
  return twins
}

/** The key of parts: nothing else is hashed, so that what explains a key is all of it. */
export function cacheKey(parts: KeyParts): string {
  return sha256(canonicalJson(parts))
}

function prefixed(prefix: string, parts: Readonly<Record<string, string>>): KeyParts {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [`${prefix} ${name}`, value]))
}

const longest = 80

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const text = typeof value === 'string' ? value : canonicalJson(value)
  return text.length > longest ? sha256(text) : text
}
