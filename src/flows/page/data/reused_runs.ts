/** Detects runs reused from the previous iteration, so that the page includes them only once. */
import path from 'node:path'
import * as z from 'zod'
import { readLoose } from '../run_detail.ts'

const sharedFields = z.object({
  started_at: z.string(),
  ended_at: z.string(),
  session_id: z.string().nullable(),
  final_response: z.string(),
  outputs: z.unknown(),
})
const cachedRecord = sharedFields.extend({ cached_from: z.object({ benchmark: z.string() }) })

/** Both are run folders. Compares times, session, answer and the hashes of all outputs in their records. */
export function isReused(own: string, before: string): boolean {
  const now = cachedRecord.safeParse(readLoose(path.join(own, 'run.json')))
  if (!now.success) return false
  const then = sharedFields.safeParse(readLoose(path.join(before, 'run.json')))
  const { cached_from, ...rest } = now.data
  return then.success && JSON.stringify(rest) === JSON.stringify(then.data)
}
