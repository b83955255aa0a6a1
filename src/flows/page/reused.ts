/** Whether a run was taken from the iteration before: then that one need not be carried a second time. */
import path from 'node:path'
import { z } from 'zod'
import { readLoose } from './read_detail.ts'

const shared = z.object({
  started_at: z.string(),
  ended_at: z.string(),
  session_id: z.string().nullable(),
  final_response: z.string(),
  outputs: z.unknown(),
})
const taken = shared.extend({ cached_from: z.object({ benchmark: z.string() }) })

/** Both are folders of runs. By what their records say of times, session, answer and the hashes of all outputs. */
export function isReused(own: string, before: string): boolean {
  return isTaken(readLoose(path.join(own, 'run.json')), before)
}

/** The same of a run whose record was read already. */
export function isTaken(record: unknown, before: string): boolean {
  const now = taken.safeParse(record)
  if (!now.success) return false
  const then = shared.safeParse(readLoose(path.join(before, 'run.json')))
  const { cached_from, ...rest } = now.data
  return then.success && JSON.stringify(rest) === JSON.stringify(then.data)
}
