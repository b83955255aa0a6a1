/** `plan.json`: every run of a benchmark and all that shapes it, enough to resume, repeat or send it elsewhere. Contains no secrets. */
import * as z from 'zod'
import { sandboxSettings } from './evals.ts'
import {
  chosenCases,
  environment,
  gitState,
  inputFile,
  installedSkill,
  loadWarning,
  skill,
  suiteCase,
} from './suite.ts'

/** `…_again`: the second arm of a calibration, which is the same as the first. `subject`: the only arm of eval. */
export const configuration = z.enum([
  'with_skill',
  'without_skill',
  'new_skill',
  'old_skill',
  'without_skill_again',
  'old_skill_again',
  'subject',
])

/** An engine and the requested model; `model` null: the engine's default. `command`: only for the command engine. */
export const engineChoice = z.object({
  name: z.string().min(1),
  model: z.string().nullable(),
  command: z.string().optional(),
  base_url: z.string().optional().describe('where its server is, from --base-url; absent: where the environment says'),
})

/** The sandbox that is actually used. */
export const sandboxUse = z.object({
  mechanism: z.enum(['bubblewrap', 'seatbelt', 'none']),
  reason: z.string().describe('why it is this one'),
  network: z.enum(['none', 'open']).optional().describe('of --network; absent: none'),
})

export const activation = z.enum(['natural', 'instructed'])

/** One run: one case × one configuration × one run number, with everything needed to perform it anywhere. */
export const runSpec = z.object({
  run_id: z
    .string()
    .regex(/^(?!(?:[\s\S]*\/)?\.\.?(?:\/|$))[^\\/\0]+(?:\/[^\\/\0]+)*$/, 'must be a path below the benchmark')
    .describe('the folder of the run relative to the benchmark, such as eval-1-totals/with_skill/run-1'),
  eval_id: z.number().int(),
  eval_name: z.string(),
  configuration,
  run_number: z.number().int().positive(),
  prompt: z.string().describe('as the agent gets it'),
  files: z.array(inputFile),
  setup: z.string().nullable(),
  git: gitState.nullable(),
  environment: environment.optional().describe('absent: none'),
  skill: installedSkill.nullable().describe('null: the arm without the skill'),
  absent_skill: z
    .string()
    .nullable()
    .describe('the name that must not be visible in this arm; null where the arm has it'),
  among: z.array(installedSkill).optional().describe('skills that lie beside it; absent: none'),
  stop_at: z
    .literal('skill_read')
    .optional()
    .describe('the run ends as soon as the skill was read; absent: at its own end'),
  sandbox: sandboxSettings.optional().describe('what the suite asks of the sandbox'),
  engine: engineChoice,
  max_turns: z.number().int().positive().nullable(),
  timeout_seconds: z.number().positive(),
  activation,
  rerun_of: z.string().optional().describe('added by --rerun: the run_id of the run that it repeats'),
  key: z
    .string()
    .describe('sha256 of everything that shapes the result, run number included; no paths of this machine'),
})

export const planOptions = z.object({
  engine: engineChoice,
  judge: engineChoice.nullable().describe('null: no case of the suite needs a judge'),
  runs: z.number().int().positive().describe('of each case in each arm; at most, with until'),
  until: z
    .literal('decided')
    .optional()
    .describe('whole blocks, a look after each; absent: the number of runs is fixed'),
  timeout_seconds: z.number().positive(),
  max_turns: z.number().int().positive().nullable(),
  activation,
  on_timeout: z.enum(['fail', 'exclude']),
  retries: z.number().int().nonnegative(),
  judge_samples: z.number().int().min(2).optional().describe('votes of the judge on each expectation; absent: one'),
  fast_fail: z.literal(true).optional().describe('where a check fails no judge is asked; absent: it is'),
  require_evidence: z
    .literal(true)
    .optional()
    .describe('a pass on a quote that is not found is a judge error; absent: it is flagged'),
})

export const plan = z.object({
  schema_version: z.literal(1),
  plan_id: z
    .string()
    .describe('sha256 over the runs (reruns left out) and the options; the same plan again is a resume'),
  created_at: z.iso.datetime(),
  suite: z.object({ path: z.string(), format: z.string(), sha256: z.string() }),
  skill,
  baseline: skill.nullable().describe('the older version when two versions meet'),
  candidate_configuration: configuration,
  baseline_configuration: configuration,
  options: planOptions,
  cases: z.array(suiteCase),
  chosen: chosenCases.optional().describe('by --case or --last-failed; absent: the whole suite'),
  runs: z.array(runSpec),
  sandbox: sandboxUse.optional().describe('what runs are confined to; of a resumed benchmark, the last start'),
  warnings: z.array(loadWarning),
  calls: z.object({
    agent_runs: z.number().int().nonnegative(),
    judge_calls: z
      .number()
      .int()
      .nonnegative()
      .describe('one for each run of a case with expectations; repairs not counted'),
  }),
})

export type Configuration = z.infer<typeof configuration>
export type EngineChoice = z.infer<typeof engineChoice>
export type Activation = z.infer<typeof activation>
export type RunSpec = z.infer<typeof runSpec>
export type PlanOptions = z.infer<typeof planOptions>
export type Plan = z.infer<typeof plan>
