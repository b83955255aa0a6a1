/** Finds the files that match a path or glob. */
import picomatch from 'picomatch'
import * as z from 'zod'
import { runBounded } from '../../../../base/process/time_limited_worker.ts'

const indices = z.array(z.number())

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
  const end = await runBounded(
    { kind: 'matching', pattern: source, flags, groups: names.map((name) => [name]) },
    indices,
    signal,
  )
  if ('error' in end) return { error: `the glob ${wanted} could not be evaluated: ${end.error}` }
  return { names: end.value.flatMap((index) => names[index] ?? []) }
}

export function isGlob(wanted: string): boolean {
  return picomatch.scan(wanted).isGlob
}
