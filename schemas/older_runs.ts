/** Whether both configurations of a benchmark ran at the same time, and the tests of older runs for drift. */
import * as z from 'zod'

const count = z.number().int().nonnegative()

/** One configuration: some of its older runs were run again and compared with the older results. */
export const driftTest = z.object({
  configuration: z.string(),
  result: z
    .enum(['no_drift', 'drift', 'engine_changed', 'not_testable'])
    .describe('with every result except no_drift the older runs were run again'),
  older: count.describe('runs too old to be compared with the others'),
  sampled: count.describe('how many of them ran again for the test'),
  p_value: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('permutation test of new results against older ones, within each case; null: not tested'),
  alpha: z.number().gt(0).lt(1),
  pass_rate_older: z.number().nullable(),
  pass_rate_new: z.number().nullable().describe('pass rate of the repeated runs'),
  checks_flipped: count.describe('checks with a different result when the same run number ran again'),
})

/** `older_runs.json` in a benchmark that began with older runs. */
export const olderRunsFile = z.object({
  schema_version: z.literal(1),
  baseline_age_seconds: z.number().nonnegative().describe('--baseline-age'),
  tests: z.array(driftTest),
})

/** `statistics.older_runs` in benchmark.json. */
export const olderRuns = z.object({
  is_concurrent: z
    .boolean()
    .describe('false: the difference may come from the time between the runs, so no gate on a difference passes'),
  reason: z.string().nullable().describe('why not concurrent; null: concurrent'),
  baseline_age_seconds: z.number().nonnegative().describe('--baseline-age'),
  untested: z
    .record(z.string(), count)
    .describe('by configuration: runs too old to be compared and not tested for drift'),
  tests: z.array(driftTest).describe('one per configuration with runs that were too old'),
})

export type DriftTest = z.infer<typeof driftTest>
export type OlderRunsFile = z.infer<typeof olderRunsFile>
export type OlderRuns = z.infer<typeof olderRuns>
