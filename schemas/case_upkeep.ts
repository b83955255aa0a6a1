/** Who looks after a case, whether it counts, and in which part of the suite it is. */
import * as z from 'zod'

/** One name or several, as a person writes it. */
export const ownerNames = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])

export const owners = z
  .array(z.string().min(1))
  .optional()
  .describe('who looks after the case: named in reports next to it; absent: not known')

/** `false` and absent: it counts. */
export const quarantine = z.union([z.literal(true), z.string().min(1)])

export const quarantined = quarantine
  .optional()
  .describe('the case runs and is reported, but counts in no number and no gate; text: why, or a link to an issue')

/** The two parts of a suite in `improve`: the proposer sees one; the other decides once. */
export const caseSplit = z.enum(['train', 'held_out'])

export type CasePart = z.infer<typeof caseSplit>
export type Quarantine = z.infer<typeof quarantine>
