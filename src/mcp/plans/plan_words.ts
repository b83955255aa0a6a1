/** The arguments of the tool plan as the equivalent command line, with all places absolute. */
import { UserError } from '../../base/errors/error.ts'
import type { PlanArguments } from '../arguments.ts'
import { benchmarkFiles, type Roots, skillFiles } from '../roots.ts'

/** The arguments that each kind reads, besides the required ones. */
const known = {
  bench: ['suite', 'cases', 'runs', 'engine', 'judge', 'baseline', 'workspace', 'concurrency'],
  compare: ['other', 'cases', 'pairs', 'judge', 'concurrency'],
  improve: ['suite', 'total_runs', 'engine', 'judge', 'workspace', 'concurrency'],
} as const satisfies Record<PlanArguments['kind'], readonly (keyof PlanArguments)[]>

const money = ['budget_usd', 'budget_tokens', 'cost_per_run_usd'] as const

const flags: Partial<Record<keyof PlanArguments, string>> = {
  cases: 'case',
  budget_usd: 'budget',
}

/** Throws UserError for an argument of another kind, and for a place outside of the roots. */
export async function planWords(given: PlanArguments, roots: Roots): Promise<string[]> {
  const { kind } = given
  const subject = kind === 'compare' ? 'benchmark' : 'skill'
  const allowed = new Set<string>(['kind', subject, ...known[kind], ...money])
  const unread = Object.keys(given).filter((key) => !allowed.has(key))
  if (unread.length > 0) throw new UserError(`${kind} does not read ${unread.join(', ')}`, 'leave them out')
  const main = given[subject]
  if (main === undefined) throw new UserError(`${kind} needs ${subject}`, `pass ${subject}`)
  if (kind === 'compare' && given.budget_tokens !== undefined)
    throw new UserError('compare does not count tokens', 'pass budget_usd')
  const files = kind === 'compare' ? benchmarkFiles : skillFiles
  const words = [kind, await roots.resolveWith(main, files)]
  if (given.other !== undefined) words.push(await roots.resolveWith(given.other, files))
  // compare has no such flags: the server counts
  const rest = known[kind].filter((key) => key !== 'other')
  for (const key of [...rest, ...(kind === 'compare' ? [] : money)]) {
    const value = given[key]
    const isPlace = key === 'suite' || key === 'workspace' || (key === 'baseline' && !String(value).startsWith('git:'))
    for (const one of value === undefined ? [] : [value].flat()) {
      words.push(`--${flags[key] ?? toFlag(key)}=${isPlace ? await roots.resolve(String(one)) : one}`)
    }
  }
  return words
}

function toFlag(key: string): string {
  return key.replace(/_usd$/, '').replaceAll('_', '-')
}
