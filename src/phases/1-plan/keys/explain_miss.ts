/** Explains why a run is not in the cache by how it differs from the most similar entry. */
import type { KeyParts } from '../../../../schemas/cache.ts'

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
