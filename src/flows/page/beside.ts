/** What lies in a benchmark's folder besides its runs and that the page shows: notes, comparisons, a history. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { feedback } from '../../../schemas/feedback.ts'
import type { PageExtras, PageNote } from '../../../schemas/page.ts'
import type { Beside } from '../../phases/4-report/page/page.ts'
import { isTimestampName } from '../../store/paths.ts'

/** A file that is not there or cannot be read is no part of the page. */
export function besideOf(folder: string): Pick<Beside, 'feedback' | 'previous' | 'extras'> {
  const before = previousFolder(folder)
  return {
    feedback: notesOf(path.join(folder, 'feedback.json')),
    previous: before === null ? [] : notesOf(path.join(before, 'feedback.json')),
    extras: extrasOf(folder),
  }
}

/** The benchmark made just before, in the same workspace. */
function previousFolder(folder: string): string | null {
  const parent = path.dirname(folder)
  if (!['benchmarks', 'evals'].includes(path.basename(parent))) return null
  const own = path.basename(folder)
  const earlier = names(parent).filter((name) => isTimestampName(name) && name < own)
  const last = earlier.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  return last === undefined ? null : path.join(parent, last)
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): unknown {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** skill-creator's `reviews`, or agentskills.io's `{ <run>: "text" }`. */
function notesOf(file: string): PageNote[] {
  const value = read(file)
  const parsed = feedback.safeParse(value)
  if (parsed.success) {
    return parsed.data.reviews.map((one) => ({ run_id: one.run_id, feedback: one.feedback, timestamp: one.timestamp }))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([run_id, text]) =>
    typeof text === 'string' ? [{ run_id, feedback: text, timestamp: '' }] : [],
  )
}

function extrasOf(folder: string): PageExtras {
  const comparisons = names(folder)
    .filter((name) => name.startsWith('eval-'))
    .flatMap((one) =>
      names(path.join(folder, one))
        .filter((name) => /^(comparison-\d+|analysis)\.json$/.test(name))
        .flatMap((name) => {
          const value = read(path.join(folder, one, name))
          return value === undefined ? [] : [{ name: `${one}/${name}`, value }]
        }),
    )
  const history = read(path.join(path.dirname(path.dirname(folder)), 'history.json'))
  return {
    ...(comparisons.length > 0 ? { comparisons } : {}),
    ...(history === undefined ? {} : { history }),
  }
}
