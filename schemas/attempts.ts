/** Attempts at runs that do not count because another attempt at the same run was used; they cost money too. */
import * as z from 'zod'

/** A line of attempts.jsonl: one attempt that was lost with its worker, or refused. */
export const attemptLine = z.object({
  run_id: z.string(),
  job: z.string(),
  attempt: z.number().int().positive(),
  worker: z.string(),
  started_at: z.iso.datetime(),
  status: z.string().nullable().describe('of its record; null: it has none, its worker was lost'),
  usd: z.number().nonnegative().nullable().describe('null: not known'),
  tokens: z.number().nonnegative().nullable(),
})

export const otherAttempts = z.object({
  attempts: z.number().int().positive(),
  lost: z.number().int().nonnegative().describe('without a record: what they cost is not known'),
  usd: z.number().nonnegative().nullable().describe('of those of which it is known; null: of none'),
  tokens: z.number().nonnegative().nullable(),
})

export type AttemptLine = z.infer<typeof attemptLine>
export type OtherAttempts = z.infer<typeof otherAttempts>
