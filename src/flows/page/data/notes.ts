/** Reads feedback.json in either dialect: skill-creator's `reviews`, or agentskills.io's `{ "<case or run>": "text" }`. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { Feedback } from '../../../../schemas/feedback.ts'
import { UserError } from '../../../base/errors/error.ts'
import { findOwnFile } from '../../../base/fs/inside_folder.ts'
import { parseJson } from '../../../base/json/json.ts'
import type { Damage } from '../../../store/artefacts/damage.ts'
import { readLoose } from '../run_detail.ts'

/** A handwritten review may lack the time. */
const review = z.looseObject({ run_id: z.string(), feedback: z.string(), timestamp: z.string().catch('') })
const reviewsFile = z.looseObject({ reviews: z.array(z.unknown()) })
const byName = z.record(z.string(), z.unknown())

export interface FeedbackNotes {
  reviews: Feedback['reviews']
  /** The file's fields besides the reviews. */
  rest: Record<string, unknown>
  /** The problem with entries that are not notes; null: all were read. */
  unread: string | null
}

/** Without reviews if the file is missing or in neither dialect. */
export function readFeedbackNotes(file: string): FeedbackNotes {
  const value = readLoose(file)
  const ours = reviewsFile.safeParse(value)
  if (ours.success) {
    const { reviews: all, ...rest } = ours.data
    const read = all.map((one) => review.safeParse(one))
    const at = read.findIndex(({ success }) => !success)
    const reviews = read.flatMap(({ data }) => data ?? [])
    return { reviews, rest, unread: at < 0 ? null : `reviews[${at}] needs run_id and feedback as text` }
  }
  const named = byName.safeParse(value)
  if (!named.success)
    return {
      reviews: [],
      rest: {},
      unread: findSyntaxError(file) ?? 'expected a JSON object with the name of a run in this folder',
    }
  const all = Object.entries(named.data)
  const reviews = all.flatMap(([run_id, text]) =>
    typeof text === 'string' ? [{ run_id, feedback: text, timestamp: '' }] : [],
  )
  const odd = all.find(([, text]) => typeof text !== 'string')
  return { reviews, rest: {}, unread: odd === undefined ? null : `${odd[0]} is not text` }
}

/** The skipped part of a folder's feedback.json; the message omits the file name. null: all is read, or there is no file. */
export function findUnreadNotes(folder: string): Damage | null {
  const file = path.join(folder, 'feedback.json')
  const message = existsSync(file) ? readFeedbackNotes(file).unread : null
  return message === null ? null : { file, message }
}

/** The syntax error; null: it is valid JSON, or a link to another folder, whose text must not be shown. */
function findSyntaxError(file: string): string | null {
  try {
    const own = findOwnFile(path.dirname(file), path.basename(file))
    if (own !== null) parseJson(readFileSync(own, 'utf8'), 'line ')
    return null
  } catch (error) {
    return error instanceof UserError ? error.message.replace(/^line :/, 'line ') : null
  }
}
