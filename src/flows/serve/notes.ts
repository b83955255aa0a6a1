/** Notes that a served page sends, put into feedback.json: of each run the newest, so that two open pages lose nothing of each other. */
import { type Feedback, feedback } from '../../../schemas/feedback.ts'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { checkAs, parseJson } from '../../base/json.ts'
import { writeArtefact } from '../../store/store.ts'
import { type NotesFound, readNotes } from '../page/notes.ts'

/** One after the other, since each reads what is there. */
const last = { write: Promise.resolve() }

/** Throws UserError for what are no notes, and where the file holds what can't be read. An emptied note goes. */
export async function mergeNotes(file: string, body: string): Promise<void> {
  const sent = checkAs(feedback, parseJson(body, 'feedback'), 'feedback')
  const written = last.write.then(async () => {
    const { reviews, rest } = await notesBefore(file)
    await writeArtefact(feedback, file, { ...rest, ...sent, reviews: merged([...reviews, ...sent.reviews]) })
  })
  last.write = written.catch(() => {})
  await written
}

/** What could not be read would be lost: nothing is written then. */
async function notesBefore(file: string): Promise<Pick<NotesFound, 'reviews' | 'rest'>> {
  if (!(await exists(file))) return { reviews: [], rest: {} }
  const found = readNotes(file)
  if (found.unread === null) return found
  throw new UserError(`${file}: ${found.unread}`, 'mend it or move it away: what it says would be lost')
}

function merged(reviews: Feedback['reviews']): Feedback['reviews'] {
  const newest = new Map<string, Feedback['reviews'][number]>()
  for (const one of reviews) {
    const before = newest.get(one.run_id)
    if (before === undefined || !(Date.parse(one.timestamp) < Date.parse(before.timestamp))) newest.set(one.run_id, one)
  }
  return [...newest.values()].filter((one) => one.feedback.trim() !== '')
}
