/** `evals/reports/<timestamp>.json`: an eval report by the field reference of AAM packages, written by Whetstone or another tool. */
import * as z from 'zod'

const text = z.string().nullable()
const verdict = z.enum(['PASS', 'FAIL', 'SKIP'])

export const evalReport = z.looseObject({
  version: z.literal(1),
  id: z.string(),
  timestamp: z.iso.datetime({ offset: true }).describe('when the run began'),
  duration_seconds: z.number().nonnegative(),
  config: z.looseObject({
    engine: z.string(),
    engine_version: text.optional(),
    judge: text.optional().describe("id of the judge's model, as far as it is known; null: no case needs one"),
    judge_configured: text.optional().describe('the judge as eval-config.json or --judge names it'),
    timeout: z.number().optional(),
  }),
  agent: z.looseObject({
    runtime: z.string(),
    runtime_version: text.optional(),
    model: text.optional().describe('null: not reported'),
    model_provider: text.optional(),
    session_id: text.optional().describe('session of the first case that ran; each case has its own'),
  }),
  judge: z.looseObject({ model: text, model_provider: text.optional() }).nullable().optional(),
  environment: z.looseObject({
    os: z.string().optional(),
    arch: z.string().optional(),
    aam_version: text.optional().describe('null: not written by AAM'),
    whetstone_version: z.string().optional(),
    node_version: text.optional(),
    python_version: text.optional(),
  }),
  package: z.looseObject({ name: z.string(), version: text.optional() }),
  summary: z.looseObject({
    total: z.number().int(),
    passed: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    pass_rate: z.number().nullable().describe('passed ÷ (passed + failed); null: nothing was decided'),
  }),
  cases: z.array(
    z.looseObject({
      name: z.string(),
      target: text.optional(),
      verdict,
      duration_seconds: z.number().nonnegative().nullable().optional(),
      deterministic_checks: z.record(z.string(), verdict).optional(),
      judge_verdict: z
        .looseObject({ result: verdict, reason: z.string(), model: text.optional() })
        .nullable()
        .optional()
        .describe('null: a check failed first, or no judge was asked'),
      agent_output_snippet: z.string().optional(),
      error: z.string().optional(),
    }),
  ),
})

export type EvalReport = z.infer<typeof evalReport>
