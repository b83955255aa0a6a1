/** What looking up a judge's quotes found: whether they stand in what it judged, and where. */
import { z } from 'zod'

/** Where a quote stands: enough to link to it and to mark it. */
export const evidencePlace = z.object({
  file: z.string().describe("relative to the run's folder: transcript.md, outputs/…; or inputs/…"),
  line: z.number().int().positive().describe('of its first character, from 1'),
  start: z.number().int().nonnegative().describe('offset of its first character in the file, in UTF-16 units'),
  end: z.number().int().positive().describe('offset behind its last character'),
})

/** The fields of whatever a judge may prove by quotes. */
export const lookedUp = {
  evidence_verified: z
    .enum(['exact', 'fuzzy', 'absent', 'not_a_quote'])
    .optional()
    .describe('whether what a judge quotes stands in transcript or files; absent: a quote of it does not'),
  evidence_at: evidencePlace.optional().describe('where the first quote stands that was found'),
}

export type EvidencePlace = z.infer<typeof evidencePlace>
