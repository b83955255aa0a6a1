/** The event that says what --changed selected. */
import * as z from 'zod'

export const changesFound = z.object({
  type: z.literal('changes_found'),
  ref: z.string().describe('the ref of --changed'),
  changed: z.number().int().nonnegative().describe('skills or suites that are selected'),
  of: z.number().int().nonnegative().describe('skills or suites that were found'),
  message: z.string().describe('the same in plain words'),
})
