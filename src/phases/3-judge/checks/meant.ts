/** Which of the files a path or glob means. */
import picomatch from 'picomatch'
import { z } from 'zod'
import { bounded } from '../../../base/bounded.ts'

const indices = z.array(z.number())

/** The name itself, else what lies below a folder of that name, else what a glob matches; `error`: the glob can't be tried. */
export async function meant(
  wanted: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ names: string[] } | { error: string }> {
  if (names.includes(wanted)) return { names: [wanted] }
  const below = names.filter((name) => name.startsWith(`${wanted}/`))
  if (below.length > 0 || !isGlob(wanted)) return { names: below }
  const { source, flags } = picomatch.makeRe(wanted, { dot: true })
  const end = await bounded(
    { kind: 'matching', pattern: source, flags, groups: names.map((name) => [name]) },
    indices,
    signal,
  )
  if ('error' in end) return { error: `the glob ${wanted} could not be tried: ${end.error}` }
  return { names: end.value.flatMap((index) => names[index] ?? []) }
}

export function isGlob(wanted: string): boolean {
  return picomatch.scan(wanted).isGlob
}
