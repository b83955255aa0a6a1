/** What `whetstone clean --json` prints: what is kept where, and what is removed. */
import * as z from 'zod'

const bytes = z.number().int().nonnegative()
const place = z.string().describe('absolute path')

export const cleanKind = z.enum([
  'benchmarks',
  'calibrations',
  'searches',
  'evals',
  'triggers',
  'descriptions',
  'recorded',
  'ranks',
  'sessions',
  'improve',
  'cache',
  'leftovers',
])

const removal = z.object({
  path: place,
  kind: cleanKind,
  what: z.enum(['folder', 'transcripts', 'cache', 'leftover']).describe('transcripts: also outputs'),
  bytes,
})

export const cleanReport = z.object({
  schema_version: z.literal(1),
  dry_run: z.boolean().describe('true: nothing was removed'),
  workspaces: z.array(
    z.object({
      workspace: place,
      kinds: z.array(
        z.object({
          kind: cleanKind,
          folders: z.number().int().nonnegative(),
          bytes,
          transcript_bytes: bytes.describe('part of bytes: transcripts and outputs'),
          oldest: z.string().nullable().describe('name of the oldest folder; null: not named by time'),
        }),
      ),
    }),
  ),
  removals: z.array(removal).describe('removed, or with dry_run what would be'),
  kept: z
    .array(z.object({ path: place, reason: z.string() }))
    .describe('chosen by the filters, but protected, and why'),
  bytes: bytes.describe('of the removals together'),
})

export type CleanKind = z.infer<typeof cleanKind>
export type Removal = z.infer<typeof removal>
export type CleanReport = z.infer<typeof cleanReport>
