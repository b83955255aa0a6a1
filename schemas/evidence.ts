/** The result of looking up a judge's quotes: whether they are in what it judged, and where. */
import * as z from 'zod'

/** The position of a quote: enough to link to it and to mark it. */
export const evidencePlace = z.object({
  file: z.string().describe("relative to the run's folder: transcript.md, outputs/…; or inputs/…"),
  line: z.number().int().positive().describe('line of its first character, from 1'),
  start: z.number().int().nonnegative().describe('offset of its first character in the file, in UTF-16 units'),
  end: z.number().int().positive().describe('offset after its last character'),
})

/** The fields of everything that a judge may support with quotes. */
export const lookedUp = {
  evidence_verified: z
    .enum(['exact', 'fuzzy', 'claim', 'absent', 'not_a_quote'])
    .optional()
    .describe(
      "whether the judge's quotes were found in the transcript or files; claim: found only in the agent's statements about its own work; absent: a quote was not found",
    ),
  evidence_at: evidencePlace.optional().describe('position of the first quote that was found'),
}

export type EvidencePlace = z.infer<typeof evidencePlace>
