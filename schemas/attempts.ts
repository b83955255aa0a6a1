/** Attempts at runs that do not count because another attempt at the same run was used; they cost money too. */
import * as z from 'zod'

/** A line of attempts.jsonl: one attempt that was lost with its worker, or refused. */
export const attemptLine = z.object({
  run_id: z.string(),
  job: z.string(),
  attempt: z.number().int().positive(),
  worker: z.string(),
  started_at: z.iso.datetime(),
  status: z.string().nullable().describe('status in its record; null: no record, because the worker was lost'),
  usd: z.number().nonnegative().nullable().describe('null: unknown'),
  tokens: z.number().nonnegative().nullable(),
})

export const otherAttempts = z.object({
  attempts: z.number().int().positive(),
  lost: z.number().int().nonnegative().describe('attempts without a record; their cost is unknown'),
  usd: z.number().nonnegative().nullable().describe('only of attempts whose cost is known; null: none known'),
  tokens: z.number().nonnegative().nullable(),
})

export type AttemptLine = z.infer<typeof attemptLine>
export type OtherAttempts = z.infer<typeof otherAttempts>
