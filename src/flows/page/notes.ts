/** feedback.json in either dialect: skill-creator's `reviews`, or agentskills.io's `{ "<case or run>": "text" }`. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Feedback } from '../../../schemas/feedback.ts'
import { UserError } from '../../base/error.ts'
import { parseJson } from '../../base/json.ts'
import { ownFile } from '../../base/own_file.ts'
import type { Damage } from '../../store/damage.ts'
import { readLoose } from './read_detail.ts'

/** Written by hand, it may lack the time. */
const review = z.looseObject({ run_id: z.string(), feedback: z.string(), timestamp: z.string().catch('') })
const reviewed = z.looseObject({ reviews: z.array(z.unknown()) })
const byName = z.record(z.string(), z.unknown())

export interface NotesFound {
  reviews: Feedback['reviews']
  /** What else the file says of them all. */
  rest: Record<string, unknown>
  /** What of it is no note, to be told; null: all was read. */
  unread: string | null
}

/** None where the file is not there or is neither. */
export function feedbackIn(file: string): Feedback['reviews'] {
  return readNotes(file).reviews
}

export function readNotes(file: string): NotesFound {
  const value = readLoose(file)
  const ours = reviewed.safeParse(value)
  if (ours.success) {
    const { reviews: all, ...rest } = ours.data
    const read = all.map((one) => review.safeParse(one))
    const at = read.findIndex(({ success }) => !success)
    const reviews = read.flatMap(({ data }) => data ?? [])
    return { reviews, rest, unread: at < 0 ? null : `reviews[${at}] has no run_id and feedback that are texts` }
  }
  const named = byName.safeParse(value)
  if (!named.success)
    return { reviews: [], rest: {}, unread: syntaxOf(file) ?? 'no JSON object of a file in this folder' }
  const all = Object.entries(named.data)
  const reviews = all.flatMap(([run_id, text]) =>
    typeof text === 'string' ? [{ run_id, feedback: text, timestamp: '' }] : [],
  )
  const odd = all.find(([, text]) => typeof text !== 'string')
  return { reviews, rest: {}, unread: odd === undefined ? null : `${odd[0]} is not a text` }
}

/** What of a folder's feedback.json is passed over, its message without the name; null: all is read, or there is none. */
export function unreadNotes(folder: string): Damage | null {
  const file = path.join(folder, 'feedback.json')
  const message = existsSync(file) ? readNotes(file).unread : null
  return message === null ? null : { file, message }
}

/** The mistake in it; null: it is JSON, or a link leads to it from another folder, whose text is not ours to show. */
function syntaxOf(file: string): string | null {
  try {
    const own = ownFile(path.dirname(file), path.basename(file))
    if (own !== null) parseJson(readFileSync(own, 'utf8'), 'line ')
    return null
  } catch (error) {
    return error instanceof UserError ? error.message.replace(/^line :/, 'line ') : null
  }
}
