/** One test of a verifier: a program that rates what the agent left. */
import * as z from 'zod'

export const verifierTest = z.object({
  name: z.string(),
  passed: z.boolean(),
  message: z.string().optional().describe('why it failed, shortened; absent: the verifier gave no reason'),
})

export type VerifierTest = z.infer<typeof verifierTest>
