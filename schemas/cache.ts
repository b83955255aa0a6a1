/** Entries of `<workspace>/.cache`: runs by everything that shaped them, judges' answers by everything that they were asked. */
import * as z from 'zod'
import { cachedFrom } from './cached_from.ts'
import { grading } from './grading.ts'
import { pathBelow } from './paths.ts'
import { timing } from './timing.ts'

/** What shaped a run, by name: short values as they are, long ones as sha256. The key is the hash of these parts alone. */
export const keyParts = z.record(z.string(), z.string())

/** The description of a cached run. Its small files follow it in the same file; large ones are next to it in `files/`. */
export const cacheEntry = z.object({
  schema_version: z.literal(1),
  key: z.string(),
  parts: keyParts,
  skill_name: z.string(),
  run_id: z.string(),
  from: cachedFrom,
  evidence: z.string().describe('sha256 of what a judge sees of the run'),
  files: z.array(
    z.object({
      path: pathBelow,
      bytes: z.number().int().nonnegative(),
      isPacked: z.boolean(),
      isExecutable: z.literal(true).optional(),
      sha256: z
        .string()
        .optional()
        .describe('hash of a large file; small files are covered by the hash of the whole entry'),
    }),
  ),
})

/** A complete grading of a cached run under one set of criteria. */
export const cachedGrading = z.object({
  schema_version: z.literal(1),
  of: z.string().describe('when the graded run took place; distinguishes it from a newer run with the same key'),
  from: cachedFrom,
  grading,
  timing,
})

/** A usable answer of a judge. */
export const cachedAnswer = z.object({
  schema_version: z.literal(1),
  parts: keyParts,
  from: cachedFrom,
  answer: z.unknown(),
  spent: z.object({
    calls: z.number().int(),
    tokens: z.number().nullable(),
    costUsd: z.number().nullable(),
    model: z.string().nullable(),
  }),
})

export type KeyParts = z.infer<typeof keyParts>
export type CacheEntry = z.infer<typeof cacheEntry>
export type CachedGrading = z.infer<typeof cachedGrading>
export type CachedAnswer = z.infer<typeof cachedAnswer>
