/** The iteration before: the benchmark of the same skill made just before this one, and what each run was in it. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { liesIn, liesWithin, ownFile } from '../../base/own_file.ts'
import { isTimestampName } from '../../store/paths.ts'
import { readLoose } from './read_detail.ts'

export interface Previous {
  /** Its folder, absolute. */
  folder: string
  /** The folder of a run there, relative to it with /; null: it has no such run. */
  runOf(run: { eval_id: number; folder: string }): string | null
}

/** null: there is none. */
export function previousOf(folder: string): Previous | null {
  const before = previousFolder(folder)
  if (before === null) return null
  let known: ReadonlyMap<number, string> | null = null
  const caseOf = (id: number) => {
    known ??= casesIn(before)
    return known.get(id) ?? ''
  }
  const isThere = liesWithin(before)
  return {
    folder: before,
    runOf: ({ eval_id, folder: own }) => {
      if (own === '') return null
      if (isThere(path.join(before, own))) return own
      const [, ...rest] = own.split('/')
      // a case may have got another name; its number stays
      const other = path.posix.join(caseOf(eval_id), ...rest)
      return isThere(path.join(before, other)) ? other : null
    },
  }
}

/** The folders of its cases, by their number. */
function casesIn(folder: string): ReadonlyMap<number, string> {
  const names = entries(folder).filter((name) => /^eval-\d+/.test(name))
  return new Map(names.map((name) => [idOf(folder, name), name]))
}

/** `benchmarks/<time>` and its like, or `iteration-<n>`. */
function previousFolder(folder: string): string | null {
  const [parent, own] = [path.dirname(folder), path.basename(folder)]
  const skill = skillOf(folder)
  const isEarlier = /^iteration-\d+$/.test(own)
    ? (name: string) => /^iteration-\d+$/.test(name) && numberIn(name) < numberIn(own)
    : isTimestampName(own)
      ? (name: string) => isTimestampName(name) && byTime(name, own) < 0
      : () => false
  const earlier = entries(parent).filter(isEarlier).sort(byTime).reverse()
  const same = earlier.find((name) => {
    const other = skillOf(path.join(parent, name))
    return other === null || skill === null || other === skill
  })
  return same === undefined || !liesIn(parent, path.join(parent, same)) ? null : path.join(parent, same)
}

function byTime(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function numberIn(name: string): number {
  return Number(name.replace(/\D+/, ''))
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The first so many bytes of a file, as text; empty: there is none, or a link leads to it from another folder. */
function startOf(file: string, bytes: number): string {
  try {
    const own = ownFile(path.dirname(file), path.basename(file))
    if (own === null) return ''
    const handle = openSync(own, 'r')
    try {
      const start = Buffer.alloc(bytes)
      return start.toString('utf8', 0, readSync(handle, start))
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}

const named = z.object({ metadata: z.object({ skill_name: z.string() }) })
const planned = z.object({ skill: z.object({ name: z.string() }) })
const numbered = z.object({ eval_id: z.number() })

/** Where a plan of ours names its skill: before its cases and runs, of which there may be very many. */
const inPlan = {
  name: /"skill":\s*\{\s*"name":\s*("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")/u,
  bytes: 65_536,
}

function skillOf(folder: string): string | null {
  const [, name] = inPlan.name.exec(startOf(path.join(folder, 'plan.json'), inPlan.bytes)) ?? []
  if (name !== undefined) return z.string().parse(JSON.parse(name))
  const plan = planned.safeParse(readLoose(path.join(folder, 'plan.json')))
  if (plan.success) return plan.data.skill.name
  const benchmark = named.safeParse(readLoose(path.join(folder, 'benchmark.json')))
  return benchmark.success ? benchmark.data.metadata.skill_name : null
}

function idOf(folder: string, name: string): number {
  const found = numbered.safeParse(readLoose(path.join(folder, name, 'eval_metadata.json')))
  return found.success ? found.data.eval_id : numberIn(name)
}
