/** Stores what a served page sends: notes in feedback.json, the newest for each run, so that several pages or servers lose nothing; and marks. */
import { mkdir, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { type Feedback, feedback } from '../../../schemas/feedback.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { answerError, isErrno } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { keepLabel, readJudgeDecisions } from '../../flows/labels/judge_decisions.ts'
import { type FeedbackNotes, readFeedbackNotes } from '../../flows/page/data/notes.ts'
import { takeLease } from '../../store/lease/lease.ts'
import { writeArtefact } from '../../store/store.ts'

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

const mark = z.strictObject({ id: z.string(), run_id: z.string(), met: z.boolean().nullable() })

/** Stores what a served page sends. Throws UserError for an invalid mark, and for a decision that does not exist. */
export async function keepMark(folder: string, plan: Plan, body: string): Promise<void> {
  const { id, run_id, met } = checkAs(mark, parseJson(body, 'mark'), 'mark')
  const own = { ...plan, runs: plan.runs.filter((spec) => spec.run_id === run_id) }
  const decision = (await readJudgeDecisions(folder, own)).find((one) => one.id === id)
  if (decision === undefined) throw new UserError('this decision no longer exists: its run was repeated')
  await keepLabel(decision, { met, at: new Date() })
}

/** Maximum wait for the lock, in milliseconds. */
const lockTimeoutMs = 60_000

/** Runs the work while no other process works on this file; a killed process releases the lock. Throws UserError after a wait in vain. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const folder = path.join(path.dirname(file), `.${path.basename(file)}.lock`)
  const start = performance.now()
  for (;;) {
    await mkdir(folder).catch(ifThere) // recursive, it may fail while another process removes the folder
    const lease = await takeLease(folder).catch(ifRemoved)
    if (lease !== null && !('heldBy' in lease)) {
      try {
        return await work()
      } finally {
        await lease[Symbol.asyncDispose]()
        await rmdir(folder).catch(() => {}) // another process waits
      }
    }
    if (performance.now() - start > lockTimeoutMs) {
      const who = lease === null ? 'another process' : `process ${lease.heldBy.pid} on ${lease.heldBy.host}`
      throw new UserError(`${file}: ${who} has been writing it for a minute`, 'stop that process, then save again')
    }
    await sleep(5 + Math.random() * 40)
  }
}

const ifThere = answerError(undefined, isErrno('EEXIST'))

/** The last holder of the lock removed its folder. */
const ifRemoved = answerError(null, isErrno('ENOENT'))
