/** feedback.json in either dialect: skill-creator's `reviews`, or agentskills.io's `{ "<case or run>": "text" }`. */
import { z } from 'zod'
import type { Feedback } from '../../../schemas/feedback.ts'
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
  if (!named.success) return { reviews: [], rest: {}, unread: 'no JSON object of a file in this folder' }
  const all = Object.entries(named.data)
  const reviews = all.flatMap(([run_id, text]) =>
    typeof text === 'string' ? [{ run_id, feedback: text, timestamp: '' }] : [],
  )
  const odd = all.find(([, text]) => typeof text !== 'string')
  return { reviews, rest: {}, unread: odd === undefined ? null : `${odd[0]} is not a text` }
}
