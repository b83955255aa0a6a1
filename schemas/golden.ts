/** Golden tests of an Atomic Agent: the contents of rubric.md, judge.md and golden/, and the lines of runs/<date>.jsonl. */
import * as z from 'zod'

export const expectedFact = z.looseObject({
  claim: z.string(),
  source: z.string().optional(),
  expected_value: z.string().optional(),
})

export const goldenCriteria = z.object({
  thresholds: z.array(
    z.object({
      dimension: z.string(),
      at_least: z.number(),
      more: z.literal(true).optional().describe('true: strictly more than at_least'),
      text: z.string(),
    }),
  ),
  no_hard_fails: z.boolean(),
  left_to_judge: z.array(z.string()).describe('criteria that code cannot decide'),
})

export const goldenRubric = z.object({
  weights: z.record(z.string(), z.number()),
  threshold_pass: z.number(),
  body: z.string(),
})

export const goldenJudge = z.object({
  cross_family: z.array(z.string()),
  same_family_fallback: z.array(z.string()),
  strict_mode: z.boolean(),
  audit_sample_pct: z.number().min(0).max(1),
  template: z.string(),
})

export const capPeriods = ['day', 'month'] as const
export const capActions = ['skip', 'fallback', 'alert'] as const

/** What an agent may cost, from its model.md. */
export const costGuardrails = z.object({
  caps: z.array(
    z.object({
      period: z.enum(capPeriods),
      usd: z.number().positive(),
      action: z
        .enum(capActions)
        .describe('when the cap is reached: skip and fallback start no further test, alert continues'),
    }),
  ),
  warn_at: z.array(z.number().positive().max(1)).describe('shares of a cap at which a warning appears, ascending'),
})

/** How one golden test is judged. */
export const golden = z.object({
  test_id: z.string(),
  category: z.string(),
  input: z.string(),
  setup: z.string(),
  expected_behavior: z.string(),
  pass_criteria: z.string(),
  criteria: goldenCriteria,
  expected_facts: z.array(expectedFact),
  notes: z.string(),
  rubric: goldenRubric,
  judge: goldenJudge,
})

export const factualCheck = z.looseObject({
  claim: z.string().optional(),
  stated_in_response: z.boolean().nullish(),
  value_correct: z.boolean().nullish(),
  cited: z.boolean().nullish(),
})

/** The result of a judge's answer; computed by Whetstone. */
export const goldenScores = z.object({
  scores: z.record(z.string(), z.number()),
  justifications: z.record(z.string(), z.string()),
  clamped: z.array(z.object({ dimension: z.string(), raw: z.unknown(), clamped: z.number().nullable() })),
  weighted: z.number().describe('two decimals; 0: no score'),
  hard_fails: z.array(z.string()),
  unmet: z.array(z.string()).describe('Pass criteria that are not met; they count in strict mode'),
  verdict: z.enum(['pass', 'fail']),
  justification: z.string(),
  factual_checks: z.array(factualCheck),
  judge: z.string().optional().describe('engine:model of the judge that scored (of the fallback, if it was used)'),
  unavailable: z
    .array(z.string())
    .optional()
    .describe('judges that could not be asked before that one, each with the reason; absent: none'),
  judge_input_tokens: z.number().nullable().optional().describe('over all calls; null: unknown'),
  judge_output_tokens: z.number().nullable().optional(),
})

const opinion = z.enum(['agree', 'disagree'])

/** A verdict of the judge that a person should look at: a line of runs/audit_log.jsonl. */
export const goldenAuditLine = z.looseObject({
  ts: z.string(),
  agent: z.string(),
  test_id: z.string(),
  verdict: z.string(),
  weighted_score: z.number().nullable(),
  judge_model: z.string(),
  judge_justification: z.string(),
  agent_response_path: z.string(),
  scores: z.record(z.string(), z.number().nullable()).optional().describe('absent: of an earlier version'),
  human: opinion.nullable().describe("a person's opinion, entered here by hand; null: not reviewed"),
  human_dimensions: z
    .record(z.string(), opinion)
    .optional()
    .describe('by hand, too: which scores are wrong; those not named agree. Absent: all are as human says'),
})

/** The model in a line for which no model was asked. */
export const notInvoked = '(not invoked)'

/** One line of runs/<date>.jsonl. Cost and tokens null: not known. */
export const goldenRunLine = z.looseObject({
  ts: z.string(),
  agent: z.string(),
  test_id: z.string(),
  category: z.string(),
  trigger: z.literal('eval'),
  agent_model: z.string(),
  judge_model: z.string(),
  judges_unavailable: z
    .array(z.string())
    .optional()
    .describe('judges in whose place that one judged, each with the reason; absent: none'),
  scores: z.record(z.string(), z.number().nullable()).describe('null: the test was not judged'),
  score_justifications: z.record(z.string(), z.string()),
  weighted_score: z.number().nullable().describe('null: no dimension was scored'),
  hard_fails: z.array(z.string()),
  verdict: z.enum(['pass', 'fail', 'judge_error', 'skipped']),
  judge_justification: z.string(),
  overall_justification: z
    .string()
    .describe('same as judge_justification: the specification and its reference code use different names'),
  unmet_criteria: z
    .array(z.string())
    .optional()
    .describe('Pass criteria that are not met and that strict_mode enforced'),
  factual_checks: z.array(factualCheck),
  clamped_scores: z
    .array(z.object({ dimension: z.string(), raw: z.unknown(), clamped: z.number().nullable() }))
    .optional(),
  setup_applied: z.boolean(),
  agent_response_path: z.string().describe('relative to evals/; empty: no response'),
  agent_input_tokens: z.number().nullable(),
  agent_output_tokens: z.number().nullable(),
  agent_cost_usd: z.number().nullable(),
  judge_input_tokens: z.number().nullable(),
  judge_output_tokens: z.number().nullable(),
  judge_cost_usd: z.number().nullable(),
  error: z.string().optional(),
  traceback: z.string().optional(),
})

export type ExpectedFact = z.infer<typeof expectedFact>
export type GoldenCriteria = z.infer<typeof goldenCriteria>
export type CostGuardrails = z.infer<typeof costGuardrails>
export type CostCap = CostGuardrails['caps'][number]
export type CapAction = CostCap['action']
export type GoldenRubric = z.infer<typeof goldenRubric>
export type GoldenJudge = z.infer<typeof goldenJudge>
export type Golden = z.infer<typeof golden>
export type FactualCheck = z.infer<typeof factualCheck>
export type GoldenScores = z.infer<typeof goldenScores>
export type GoldenAuditLine = z.infer<typeof goldenAuditLine>
export type GoldenRunLine = z.infer<typeof goldenRunLine>
