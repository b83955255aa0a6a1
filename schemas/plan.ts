/** `plan.json`: every run of a benchmark and all that shapes it, enough to resume, repeat or send it elsewhere. Contains no secrets. */
import * as z from 'zod'
import { conversationFields } from './conversation.ts'
import { sandboxSettings } from './evals.ts'
import { harborTask } from './harbor_task.ts'
import {
  aroundAgent,
  chosenCases,
  environment,
  gitState,
  inputFile,
  installedSkill,
  loadWarning,
  skill,
  suiteCase,
} from './suite.ts'

/**
 * `…_again`: the second arm of a calibration, which is the same as the first. `subject`: the only arm of eval. `whole_plugin`: the skill with
 * all parts of its plugin; `with_neighbours`: with other skills next to it; `skill_alone`: the skill where one of these is the candidate.
 */
export const configuration = z.enum([
  'with_skill',
  'without_skill',
  'new_skill',
  'old_skill',
  'without_skill_again',
  'old_skill_again',
  'subject',
  'whole_plugin',
  'with_neighbours',
  'skill_alone',
])

/** An engine and the requested model; `model` null: the engine's default. `command`: only for the command engine. */
export const engineChoice = z.object({
  name: z.string().min(1),
  model: z.string().nullable(),
  command: z.string().optional(),
  base_url: z
    .string()
    .optional()
    .describe('address of its server, from --base-url; absent: taken from the environment'),
  effort: z
    .string()
    .min(1)
    .optional()
    .describe("how hard the model thinks, from --effort; absent: the engine's default"),
  skills_folder: z
    .string()
    .optional()
    .describe(
      'where its agent looks for skills, relative to the working folder, from --skills-folder; absent: where the engine knows',
    ),
})

/** The sandbox that is actually used. */
export const sandboxUse = z.object({
  mechanism: z.enum(['bubblewrap', 'seatbelt', 'none']),
  reason: z.string().describe('why this mechanism is used'),
  network: z.enum(['none', 'setup', 'open']).optional().describe('from --network; absent: none'),
})

/** How a run gets to use the skill: it is offered, the prompt names it, or its instructions come before the prompt. */
/** How the agent comes to the skill. loaded: the prompt holds it; answer: the same, and the model answers without tools. */
export const activation = z.enum(['natural', 'instructed', 'loaded', 'answer'])

/** Whether the prompt holds the skill. */
export function holdsSkill(how: z.infer<typeof activation>): boolean {
  return how === 'loaded' || how === 'answer'
}

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
  prompt: z.string().describe('the prompt as the agent receives it'),
  ...conversationFields,
  answer_key: z
    .array(z.string())
    .optional()
    .describe('texts that a simulated user may not tell the agent; absent: there is no simulated user'),
  user_engine: engineChoice
    .optional()
    .describe('the model that plays the user and decides conditions; absent: the case needs none'),
  files: z.array(inputFile),
  setup: z.string().nullable(),
  ...aroundAgent,
  git: gitState.nullable(),
  environment: environment.optional().describe('absent: none'),
  harbor: harborTask.optional().describe('world and verifier of a Harbor task; absent: another format'),
  skill: installedSkill.nullable().describe('null: the arm without the skill'),
  absent_skill: z
    .string()
    .nullable()
    .describe('name of the skill that must not be visible in this arm; null: the arm has the skill'),
  among: z.array(installedSkill).optional().describe('other skills installed next to it; absent: none'),
  stop_at: z
    .enum(['skill_read', 'any_skill_read'])
    .optional()
    .describe(
      'the run is ended as soon as the skill is read, or any of the installed skills; absent: it runs to its end',
    ),
  sandbox: sandboxSettings.optional().describe('sandbox settings that the suite requests'),
  engine: engineChoice,
  max_turns: z.number().int().positive().nullable(),
  timeout_seconds: z.number().positive(),
  activation,
  rerun_of: z.string().optional().describe('run_id of the run that it repeats; added by --rerun'),
  key: z
    .string()
    .describe('sha256 of everything that shapes the result, run number included; no paths of this machine'),
})

export const planOptions = z.object({
  engine: engineChoice,
  judge: engineChoice.nullable().describe('null: no case of the suite needs a judge'),
  user: engineChoice.optional().describe('the model that plays the user, from --user; absent: no case needs one'),
  runs: z.number().int().positive().describe('runs per case and arm; with until, the maximum'),
  until: z
    .literal('decided')
    .optional()
    .describe('adaptive stopping: interim analyses between blocks of runs; absent: the number of runs is fixed'),
  margin: z
    .number()
    .gt(0)
    .lt(1)
    .optional()
    .describe('a smaller difference counts as no difference (0.05: 5 points, and 5% of the price); absent: 0.1'),
  timeout_seconds: z.number().positive(),
  max_turns: z.number().int().positive().nullable(),
  activation,
  on_timeout: z.enum(['fail', 'exclude']),
  retries: z.number().int().nonnegative(),
  judge_samples: z.number().int().min(2).optional().describe('judge votes per expectation; absent: one'),
  fast_fail: z
    .literal(true)
    .optional()
    .describe('true: no judge is asked after a failed check; absent: a judge is asked'),
  require_evidence: z
    .literal(true)
    .optional()
    .describe('true: a pass whose quote is not found is a judge error; absent: it is flagged'),
})

export const plan = z.object({
  schema_version: z.literal(1),
  search: z
    .literal(true)
    .optional()
    .describe(
      'a step of improve: its configurations have several versions of the skill, so their difference is not a result',
    ),
  watch: z
    .literal(true)
    .optional()
    .describe('true: the baseline or a night of watch, with one configuration; absent: a comparison'),
  observational: z
    .literal(true)
    .optional()
    .describe('true: its runs are recorded sessions, which Whetstone did not perform; absent: it performs them'),
  plan_id: z
    .string()
    .describe('sha256 over the runs (without reruns) and the options; starting the same plan again resumes it'),
  created_at: z.iso.datetime(),
  suite: z.object({ path: z.string(), format: z.string(), sha256: z.string() }),
  skill,
  baseline: skill.nullable().describe('the older version if two versions are compared; null: no skill'),
  baseline_note: z
    .string()
    .optional()
    .describe(
      'why the baseline is not simply what --baseline names (the skill is new or was moved, or only origin has the ref), or what SKILL.md lacks',
    ),
  candidate_configuration: configuration,
  baseline_configuration: configuration,
  options: planOptions,
  cases: z.array(suiteCase),
  chosen: chosenCases.optional().describe('by --case or --last-failed; absent: the whole suite'),
  runs: z.array(runSpec),
  sandbox: sandboxUse.optional().describe('sandbox of the runs; for a resumed benchmark that of the last start'),
  warnings: z.array(loadWarning),
  calls: z.object({
    agent_runs: z.number().int().nonnegative(),
    judge_calls: z
      .number()
      .int()
      .nonnegative()
      .describe('one per run of a case with expectations, without repeated questions'),
  }),
})

export type Configuration = z.infer<typeof configuration>
export type EngineChoice = z.infer<typeof engineChoice>
export type Activation = z.infer<typeof activation>
export type RunSpec = z.infer<typeof runSpec>
export type PlanOptions = z.infer<typeof planOptions>
export type Plan = z.infer<typeof plan>
