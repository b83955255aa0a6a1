/** `grading.json`: the verdicts on one run, each with evidence. Summaries are computed by Whetstone, never taken from a model. */
import * as z from 'zod'
import { asked } from './asked.ts'
import { cachedFrom } from './cached_from.ts'
import { lookedUp } from './evidence.ts'
import { goldenScores } from './golden.ts'
import { heldBack } from './held_back.ts'
import { executionMetrics } from './metrics.ts'
import { rubricResult } from './rubric.ts'

export const gradedExpectation = z.looseObject({
  text: z.string(),
  passed: z.boolean(),
  evidence: z.string(),
  ...lookedUp,
  evidence_flag: z.string().optional().describe('why a pass is in doubt: what it quotes was not found, asked twice'),
  votes: z
    .object({
      passed: z.number().int().nonnegative(),
      failed: z.number().int().nonnegative(),
      agreement: z.number().min(0.5).max(1).describe('share of the votes on the larger side'),
    })
    .optional()
    .describe('where the judge was asked several times: the majority counts, a tie is a fail'),
  warning: z.string().optional().describe('a small flaw that a pass was given with'),
  decided_by: z.string().optional().describe('judge, check:<type>, or timeout'),
  derived: z.boolean().optional().describe('made from expected_output, because the case lists none'),
  indicator: z.boolean().optional(),
  weight: z.number().positive().optional().describe('how much it counts in the pass rate; absent: 1'),
  score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('what counts in the pass rate instead of the verdict; absent: 1 if passed, else 0'),
  diagnostic: z
    .boolean()
    .optional()
    .describe("true: shown, but in no rate, because the case's own reward rates the run"),
})

export const judgeError = z.object({
  text: z.string(),
  reason: z.string(),
  diagnostic: z.boolean().optional().describe('true: it would have been in no rate'),
})

/** Something that the agent left and that seems to address the judge. */
export const injectionAttempt = z.object({
  rule: z.enum(['instruction', 'verdict', 'forged_end', 'invisible', 'file_name']),
  file: z.string().describe("relative to the run's folder"),
  line: z.number().int().positive().nullable().describe('null: it is the name'),
  text: z.string().describe('what was found, cut and escaped'),
})

export const gradingSummary = z.looseObject({
  passed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  total: z.number().int().nonnegative().describe('decided expectations; judge errors and diagnostics are outside'),
  pass_rate: z
    .number()
    .min(0)
    .max(1)
    .describe('Σ weight × score ÷ Σ weight over them (passed ÷ total without either), 0 when nothing was decided'),
  source: z
    .enum(['counts', 'rate'])
    .optional()
    .describe("another tool's grading without a list of verdicts: what the numbers come from"),
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
  rubric: rubricResult.optional().describe('the scores behind the verdict on the rubric; absent: there is none'),
  golden: goldenScores.optional().describe('the scores behind the verdict on a golden test; absent: it is none'),
  summary: gradingSummary,
  execution_metrics: executionMetrics.optional(),
  timing: z
    .looseObject({
      executor_duration_seconds: z.number().nonnegative().optional(),
      grader_duration_seconds: z.number().nonnegative().optional(),
      total_duration_seconds: z.number().nonnegative().optional().describe("skill-creator's; we leave it out"),
    })
    .optional(),
  claims: z.array(claim).optional(),
  user_notes_summary: userNotesSummary.optional(),
  eval_feedback: evalFeedback.optional(),
  judge_errors: z.array(judgeError).optional().describe('expectations that no judge could decide; outside the summary'),
  injection_attempts: z
    .array(injectionAttempt)
    .optional()
    .describe(
      'what seems to talk to a judge, found by rules, also where no judge was asked; absent: nothing was found',
    ),
  judge: asked
    .extend({
      asked_again: z
        .number()
        .int()
        .positive()
        .optional()
        .describe('passes of which a quote was not found, so that the judge was asked a second time'),
      samples: z.number().int().min(2).optional().describe('how often each expectation was judged; absent: once'),
      agreement: z
        .number()
        .min(0.5)
        .max(1)
        .optional()
        .describe('mean over the expectations of the share of votes on the larger side'),
      cached_from: cachedFrom.optional().describe('absent: the judge was asked for this benchmark'),
      held_back: heldBack.optional(),
    })
    .optional()
    .describe('absent: code decided everything'),
  graded_key: z
    .string()
    .optional()
    .describe('sha256 of the run key, the criteria and the judge: the same again is not graded again'),
})

export type GradedExpectation = z.infer<typeof gradedExpectation>
export type Claim = z.infer<typeof claim>
export type InjectionAttempt = z.infer<typeof injectionAttempt>
export type JudgeError = z.infer<typeof judgeError>
export type GradingSummary = z.infer<typeof gradingSummary>
export type Grading = z.infer<typeof grading>
