/** Parameters of checks that start a verifier: a program of the suite that rates what the agent left. */
import * as z from 'zod'
import { pathBelow } from '../paths.ts'

export const resultFormat = z.enum(['exit_code', 'score_line', 'json', 'junit', 'ctrf', 'reward'])

/** A file or folder of the suite that is in the working folder only while the check is decided. */
const checkFile = z.union([
  z.string().min(1),
  z.strictObject({
    from: z.string().min(1).describe("relative to the skill's folder"),
    to: pathBelow.describe('its place in the copy of the working folder'),
  }),
])

export const checkFiles = z
  .array(checkFile)
  .optional()
  .describe(
    "files or folders of the suite, relative to the skill's folder, that are copied into the copy of the working folder for this check; agents never see what is in evals/",
  )

export const passAt = z.number().gt(0).max(1).optional().describe('lowest score that passes; absent: 1')

export type ResultFormat = z.infer<typeof resultFormat>
