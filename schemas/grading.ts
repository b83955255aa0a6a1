/** `grading.json`: the verdicts on one run, each with evidence. Summaries are computed by Whetstone, never taken from a model. */
import * as z from 'zod'
import { asked } from './asked.ts'
import { cachedFrom } from './cached_from.ts'
import { lookedUp } from './evidence.ts'
import { goldenScores } from './golden.ts'
import { heldBack } from './held_back.ts'
import { executionMetrics } from './metrics.ts'
import { rubricResult } from './rubric.ts'
import { verifierTest } from './verifier_test.ts'

export const gradedExpectation = z.looseObject({
  text: z.string(),
  passed: z.boolean(),
  evidence: z.string(),
  ...lookedUp,
  evidence_flag: z
    .string()
    .optional()
    .describe('why a pass is in doubt: its quote was not found, also when the judge was asked again'),
  votes: z
    .object({
      passed: z.number().int().nonnegative(),
      failed: z.number().int().nonnegative(),
      agreement: z.number().min(0.5).max(1).describe('share of votes on the larger side'),
    })
    .optional()
    .describe('if the judge was asked several times: the majority decides, a tie fails'),
  warning: z.string().optional().describe('a small flaw that did not prevent the pass'),
  decided_by: z
    .string()
    .optional()
    .describe('judge, check:<type>, timeout, or check:turn_reached: the message that it is about was not sent'),
  overruled: z
    .literal(true)
    .optional()
    .describe('the judge passed it, also when asked again, but a failed check contradicts it: the check decided'),
  turn: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('it is about the answer to this message of the user, 1 is the prompt; absent: about the whole run'),
  derived: z.boolean().optional().describe('derived from expected_output, because the case lists no expectations'),
  indicator: z.boolean().optional(),
  weight: z.number().positive().optional().describe('weight in the pass rate; absent: 1'),
  unreadable: z
    .boolean()
    .optional()
    .describe('true: it fails because what the agent left can not be read, is too large or takes too long'),
  score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('score that counts in the pass rate; absent: 1 if passed, otherwise 0'),
  tests: z.array(verifierTest).optional().describe('the tests of a verifier, behind its score; absent: not listed'),
  diagnostic: z
    .boolean()
    .optional()
    .describe("true: shown, but not in any rate, because the case's own reward rates the run"),
})

export const judgeError = z.object({
  text: z.string(),
  reason: z.string(),
  diagnostic: z.boolean().optional().describe('true: it would not have counted in any rate'),
})

/** Something that the agent left and that seems to address the judge. */
export const injectionAttempt = z.object({
  rule: z.enum(['instruction', 'verdict', 'forged_end', 'invisible', 'file_name']),
  file: z.string().describe("relative to the run's folder"),
  line: z.number().int().positive().nullable().describe('null: the file name itself'),
  text: z.string().describe('the text found, shortened and escaped'),
})

export const gradingSummary = z.looseObject({
  passed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  total: z.number().int().nonnegative().describe('decided expectations, without judge errors and diagnostics'),
  pass_rate: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'Σ weight × score ÷ Σ weight over decided expectations (passed ÷ total without weights and scores); 0 if nothing was decided',
    ),
  source: z
    .enum(['counts', 'rate'])
    .optional()
    .describe("source of the numbers in another tool's grading without a list of verdicts"),
})

export const claim = z.looseObject({
  claim: z.string(),
  type: z.string().describe('factual, process or quality'),
  verified: z.boolean(),
  evidence: z.string(),
  ...lookedUp,
})

export const userNotesSummary = z.looseObject({
  uncertainties: z.array(z.string()),
  needs_review: z.array(z.string()),
  workarounds: z.array(z.string()),
})

export const evalFeedback = z.looseObject({
  suggestions: z.array(z.looseObject({ assertion: z.string().optional(), reason: z.string() })),
  overall: z.string(),
})

export const grading = z.looseObject({
  expectations: z.array(gradedExpectation),
  rubric: rubricResult.optional().describe('the scores behind the verdict on the rubric; absent: no rubric'),
  golden: goldenScores.optional().describe('the scores behind the verdict on a golden test; absent: not a golden test'),
  summary: gradingSummary,
  execution_metrics: executionMetrics.optional(),
  timing: z
    .looseObject({
      executor_duration_seconds: z.number().nonnegative().optional(),
      grader_duration_seconds: z.number().nonnegative().optional(),
      total_duration_seconds: z
        .number()
        .nonnegative()
        .optional()
        .describe(
          "as in timing.json; absent where tokens are known, which skill-creator's aggregator would not read then",
        ),
    })
    .optional(),
  claims: z.array(claim).optional(),
  user_notes_summary: userNotesSummary.optional(),
  eval_feedback: evalFeedback.optional(),
  judge_errors: z.array(judgeError).optional().describe('expectations that no judge could decide; not in the summary'),
  injection_attempts: z
    .array(injectionAttempt)
    .optional()
    .describe('text that seems to instruct the judge, found by rules, also if no judge was asked; absent: none found'),
  judge: asked
    .extend({
      asked_again: z
        .number()
        .int()
        .positive()
        .optional()
        .describe('passes for which the judge was asked again because a quote was not found'),
      samples: z.number().int().min(2).optional().describe('number of times each expectation was judged; absent: once'),
      agreement: z
        .number()
        .min(0.5)
        .max(1)
        .optional()
        .describe('share of votes on the larger side, mean over expectations'),
      cached_from: cachedFrom.optional().describe('absent: the judge was asked for this benchmark'),
      held_back: heldBack.optional(),
    })
    .optional()
    .describe('absent: code decided everything'),
  graded_key: z
    .string()
    .optional()
    .describe('sha256 of the run key, the criteria and the judge; an identical grading is not repeated'),
})

export type GradedExpectation = z.infer<typeof gradedExpectation>
export type Claim = z.infer<typeof claim>
export type InjectionAttempt = z.infer<typeof injectionAttempt>
export type JudgeError = z.infer<typeof judgeError>
export type GradingSummary = z.infer<typeof gradingSummary>
export type Grading = z.infer<typeof grading>
