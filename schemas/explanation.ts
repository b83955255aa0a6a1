/** What `whetstone explain --json` prints: where the cases of a benchmark failed, and the evidence for it. Rates from 0 to 1. */
import * as z from 'zod'
import { conversationEnd } from './conversation.ts'
import { evidencePlace, lookedUp } from './evidence.ts'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

/** A run of the case. */
const runName = { configuration: z.string(), run_number: z.number().int() }

const folder = z.string().nullable().describe('folder of the run, relative to the benchmark, with /; null: not known')

const failedQuote = z.object({
  ...runName,
  quote: z.string().describe("evidence for the failure: the judge's words, or what a check found; long texts are cut"),
  evidence_verified: lookedUp.evidence_verified,
  evidence_at: evidencePlace.optional().describe('place of the first quote that was found; absent: none was looked up'),
})

export const explainedExpectation = z.object({
  text: z.string(),
  decided_by: z.string().nullable().describe('judge or check:<type>; null: not recorded'),
  in_rate: z.boolean().describe('false: an indicator or a diagnostic check, which no comparison of rates includes'),
  results: z
    .array(
      z.object({
        configuration: z.string(),
        failed: count.describe('runs in which it failed'),
        decided: count.describe('runs with a verdict on it'),
      }),
    )
    .describe('candidate first; only configurations with a verdict'),
  flaky: z.boolean().describe('in one configuration it passes in some runs and fails in others'),
  p_adjusted: share
    .nullable()
    .describe(
      'of the difference between the configurations, adjusted for the number of expectations; null: not tested',
    ),
  evidence: z.array(failedQuote).describe('of the first failed run in each configuration'),
})

export const explainedRun = z.object({
  ...runName,
  folder,
  pass_rate: share,
  failed: count.describe('expectations and checks that failed'),
  end: z
    .enum(['completed', 'timed_out', 'refused', 'cut', 'turn_limit', 'asked_user', 'unknown'])
    .describe(
      'refused: the model declined; cut: at the output limit or in a full context; asked_user: it ended with a question; unknown: no record of the run',
    ),
  conversation: z
    .object({ messages: count.describe('of the user, with the prompt'), ended: conversationEnd })
    .optional()
    .describe('absent: the case has one message'),
  stop_reason: z.string().nullable(),
  exit_code: z.number().int().nullable(),
  skill_read: z.boolean().nullable().describe('whether SKILL.md was read; null: not reported'),
  skill_read_line: z.number().int().positive().nullable().describe('line of the first read in transcript.jsonl'),
  transcript: z
    .string()
    .nullable()
    .describe('transcript.jsonl or transcript.md, relative to the benchmark; null: there is none'),
  removed: z
    .string()
    .nullable()
    .describe('that the transcript and outputs were removed, by what and when; null: they were not'),
  last_error: z
    .object({
      line: z.number().int().positive().describe('line in transcript.jsonl, from 1'),
      tool: z.string().nullable().describe('null: an error of the engine'),
      text: z.string(),
    })
    .nullable()
    .describe('the last tool error in the transcript, whether or not it matters; null: none, or no transcript'),
  outputs: z.array(z.string()).nullable().describe('files that the agent left; null: not recorded'),
  notes: z
    .array(z.string())
    .describe('what its grading says besides the verdicts: notes, claims, remarks on the evals'),
})

export const explainedCase = z.object({
  eval_id: z.number().int(),
  eval_key: z.string().nullable(),
  eval_name: z.string(),
  prompt: z.string().nullable().describe('its beginning; null: not known'),
  metadata: z.record(z.string(), z.unknown()).nullable().describe("notes of the suite's author; null: none"),
  cannot_run: z.string().nullable().describe('why no run started; null: the case can run'),
  rates: z
    .array(
      z.object({
        configuration: z.string(),
        runs: count.describe('graded runs'),
        pass_rate: share.nullable().describe('mean; null: no graded run'),
        all_passed: count.describe('runs in which everything passed'),
      }),
    )
    .describe('candidate first'),
  difference: z
    .object({ mean: z.number(), ci_low: z.number().nullable(), ci_high: z.number().nullable() })
    .nullable()
    .describe('candidate − baseline; null: not graded in both'),
  flaky: z.boolean().nullable().describe('null: no configuration has two graded runs, so it is not known'),
  expectations: z.array(explainedExpectation).describe('those that failed in at least one run, candidate first'),
  runs: z.array(explainedRun).describe('failed runs, candidate first'),
  runs_left_out: count.describe('further failed runs'),
  judge_errors: z
    .array(z.object({ ...runName, text: z.string(), reason: z.string() }))
    .describe('expectations that the judge could not decide; they do not count as failures'),
  not_counted: z
    .array(z.object({ ...runName, folder, reason: z.string(), kind: z.string().nullable(), message: z.string() }))
    .describe('runs in no rate, such as failures of infrastructure: they say nothing about the skill'),
  notes: z.array(z.string()).describe('what the reader must know before drawing a conclusion'),
})

export const explanation = z.object({
  schema_version: z.literal(1),
  benchmark: z.object({
    folder: z.string().describe('absolute'),
    skill_name: z.string(),
    timestamp: z.string(),
    candidate: z.string().nullable(),
    baseline: z.string().nullable(),
    complete: z.boolean().describe('false: planned runs have no grade'),
  }),
  verdict: z.string().describe('of the whole benchmark, in one sentence'),
  cases: z
    .array(explainedCase)
    .describe('cases that failed, differ or were not graded, worst first; or the named case'),
  left_out: count.describe('further cases of this kind'),
  passing: count.describe('cases in which every run of every configuration passed'),
  next: z.array(z.object({ argv: z.array(z.string()), why: z.string() })).describe('commands that show more'),
})

export type Explanation = z.infer<typeof explanation>
export type ExplainedCase = z.infer<typeof explainedCase>
export type ExplainedExpectation = z.infer<typeof explainedExpectation>
export type ExplainedRun = z.infer<typeof explainedRun>
