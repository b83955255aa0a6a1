/** Finds the files that match a path or glob. */
import picomatch from 'picomatch'
import { findMatchingGroups } from '../../../../base/process/find_pattern.ts'
import { describeUnfinished } from '../results/search_limit.ts'

/** Matches the exact name, else files below that folder, else the glob; `error`: the glob cannot be evaluated. */
export async function resolveFileNames(
  wanted: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ names: string[] } | { error: string }> {
  if (names.includes(wanted)) return { names: [wanted] }
  const below = names.filter((name) => name.startsWith(`${wanted}/`))
  if (below.length > 0 || !isGlob(wanted)) return { names: below }
  const { source, flags } = picomatch.makeRe(wanted, { dot: true })
  const groups = names.map((name) => [name])
  const end = await findMatchingGroups({ pattern: source, flags }, groups, signal)
  if ('error' in end) return describeUnfinished(`the glob ${wanted}`, end)
  return { names: end.value.flatMap((index) => names[index] ?? []) }
}

export function isGlob(wanted: string): boolean {
  return picomatch.scan(wanted).isGlob
}
