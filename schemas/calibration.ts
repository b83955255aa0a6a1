/** `calibration.json`: the result of the baseline against itself (A/A), kept for later benchmarks of the same suite. */
import * as z from 'zod'
import { engineChoice } from './plan.ts'

const shares = z.array(z.number().min(0).max(1)).describe('pass rate of each run, indicators left out')

export const calibrationOf = z.object({
  suite_sha256: z.string(),
  engine: engineChoice,
  judge: engineChoice.nullable(),
  baseline_sha256: z.string().nullable().describe('the older version of the skill; null: no skill'),
})

export const calibration = z.object({
  schema_version: z.literal(1),
  skill_name: z.string(),
  created_at: z.iso.datetime(),
  of: calibrationOf.describe('a later benchmark with the same values uses the noise measured here'),
  complete: z.boolean().describe('false: a planned run has no grade, so the calibration is not used'),
  cases: z.array(z.object({ eval_id: z.number().int(), first: shares, again: shares })),
})

export type Calibration = z.infer<typeof calibration>
