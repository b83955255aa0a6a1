/** The check of a Harbor task: the reward of its verifier. */
import * as z from 'zod'
import { shared } from './shared.ts'

export const verifierCheck = z.strictObject({
  type: z.literal('verifier').describe('the reward that the verifier of a Harbor task gave; for no other format'),
  ...shared,
})
