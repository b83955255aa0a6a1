/**
 * Finds patterns of suites in texts. RE2 runs them, in time in proportion to the text; one that it lacks, such as (?=…), runs as JavaScript
 * in a thread with a time limit.
 */
import type { RE2JS } from 're2js'
import * as z from 'zod'
import { errorMessage } from '../errors/error.ts'
import { toLinearPattern } from '../text/linear_pattern.ts'
import { type BoundedResult, moduleFile, runBounded } from './time_limited_worker.ts'

export interface Pattern {
  pattern: string
  flags?: string | undefined
}

const foundTexts = z.array(z.object({ group: z.number(), text: z.number(), at: z.number() }))
type FoundTexts = z.infer<typeof foundTexts>

/** Instructions × characters that take about 0.1 s: a longer search would keep Whetstone from answering. */
const mostSteps = 2_000_000

/** The first text that matches and where; `index` is -1 when none matches. Rejects only when aborted. */
export async function findPattern(
  pattern: Pattern,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<BoundedResult<{ index: number; at: number }>> {
  const end = await search(pattern, { groups: [texts], signal })
  const [first] = 'error' in end ? [] : end.value
  return 'error' in end ? end : { value: { index: first?.text ?? -1, at: first?.at ?? -1 } }
}

/** The indices of the groups with a text that matches. Rejects only when aborted. */
export async function findMatchingGroups(
  pattern: Pattern,
  groups: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<BoundedResult<number[]>> {
  const end = await search(pattern, { groups, signal })
  return 'error' in end ? end : { value: end.value.map(({ group }) => group) }
}

async function search(
  { pattern, flags = '' }: Pattern,
  { groups, signal }: { groups: readonly (readonly string[])[]; signal: AbortSignal },
): Promise<BoundedResult<FoundTexts>> {
  signal.throwIfAborted()
  try {
    new RegExp(pattern, flags)
  } catch (error) {
    return { error: errorMessage(error), by: 'work' }
  }
  const linear = await compileLinear(pattern, flags)
  const texts = groups.flat()
  const odd = linear?.needsPlainLines === true && texts.some((text) => /[\r\u2028\u2029]/.test(text))
  if (linear === null || odd) return runBounded({ kind: 'pattern', pattern, flags, groups }, foundTexts, signal)
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (linear.compiled.programSize() * characters <= mostSteps) return { value: searchGroups(linear.compiled, groups) }
  const job = {
    kind: 'pattern',
    library: moduleFile('re2js'),
    pattern: linear.source,
    flags: linear.flags,
    groups,
  } as const
  return runBounded(job, foundTexts, signal, null)
}

/** null: RE2 cannot run it. */
async function compileLinear(pattern: string, flags: string) {
  const linear = toLinearPattern(pattern, flags)
  if (linear === null) return null
  const { RE2JS } = await import('re2js')
  const re2Flags = linear.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0
  try {
    return { ...linear, flags: re2Flags, compiled: RE2JS.compile(linear.source, re2Flags) }
  } catch {
    return null // such as a count over 1000
  }
}

function searchGroups(compiled: RE2JS, groups: readonly (readonly string[])[]): FoundTexts {
  return groups.flatMap((texts, group) => {
    const text = texts.findIndex((one) => compiled.test(one))
    if (text < 0) return []
    const match = compiled.matcher(texts[text] ?? '')
    return match.find() ? [{ group, text, at: match.start() }] : []
  })
}

/** Throws SyntaxError. */
export function compileAnswerPattern(source: string): RegExp {
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(source) ?? []
  return new RegExp(source.slice(whole.length), flags)
}
