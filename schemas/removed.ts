/** `removed.json` in a run's folder: its transcript and outputs were removed, so they can't be read or graded again. */
import * as z from 'zod'

export const removed = z.object({
  schema_version: z.literal(1),
  removed_at: z.iso.datetime(),
  transcript_sha256: z
    .string()
    .nullable()
    .describe('of transcript.md, which identifies the decisions that people have labelled; null: there was none'),
  by: z.enum(['clean', 'no_transcripts']).describe('clean: whetstone clean; no_transcripts: bench --no-transcripts'),
})

export type Removed = z.infer<typeof removed>
