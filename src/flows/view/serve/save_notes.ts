/** Merges notes from a served page into feedback.json: keeps the newest for each run, so that several pages or servers lose nothing. */
import { type Feedback, feedback } from '../../../../schemas/feedback.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { checkAs, parseJson } from '../../../base/json/json.ts'
import { withFileLock } from '../../../store/lease/file_lock.ts'
import { writeArtefact } from '../../../store/store.ts'
import { type FeedbackNotes, readFeedbackNotes } from '../../page/data/notes.ts'

/** Writes run one after another, since each reads first; other servers wait for the lock. */
const last = { write: Promise.resolve() }

/** Throws UserError for anything other than notes, and if the file has unreadable content. An emptied note is removed. */
export async function mergeNotes(file: string, body: string): Promise<void> {
  const sent = checkAs(feedback, parseJson(body, 'feedback'), 'feedback')
  const merge = async () => {
    const { reviews, rest } = await readEarlierNotes(file)
    await writeArtefact(feedback, file, { ...rest, ...sent, reviews: mergeReviews([...reviews, ...sent.reviews]) })
  }
  const written = last.write.then(() => withFileLock(file, merge))
  last.write = written.catch(() => {})
  await written
}

/** Refuses to write if content is unreadable, since it would be lost. */
async function readEarlierNotes(file: string): Promise<Pick<FeedbackNotes, 'reviews' | 'rest'>> {
  if (!(await pathExists(file))) return { reviews: [], rest: {} }
  const found = readFeedbackNotes(file)
  if (found.unread === null) return found
  throw new UserError(`${file}: ${found.unread}`, 'fix it or move it away: its content would be lost')
}

function mergeReviews(reviews: Feedback['reviews']): Feedback['reviews'] {
  const newest = new Map<string, Feedback['reviews'][number]>()
  for (const one of reviews) {
    const before = newest.get(one.run_id)
    if (before === undefined || !(Date.parse(one.timestamp) < Date.parse(before.timestamp))) newest.set(one.run_id, one)
  }
  return [...newest.values()].filter((one) => one.feedback.trim() !== '')
}
