/** `evals/evals.json`, the suite file of a skill: skill-creator's fields exactly, plus Whetstone's own. */
import * as z from 'zod'
import { caseEnv, collect, networkByPhase, setup, teardown } from './case_place.ts'
import { caseSplit, ownerNames, quarantine } from './case_upkeep.ts'
import { checks } from './check.ts'
import { conversationFields, turn } from './conversation.ts'
import { environmentSource } from './environment.ts'
import { pathWithin } from './paths.ts'
import { repoStart } from './repo.ts'
import { rubric } from './rubric.ts'

export const gitStart = z.union(
  [
    z.literal(true).describe('git init and one commit of the input files before the agent starts'),
    z.strictObject({
      bundle: z.string().min(1).describe('a git bundle, relative to the skill folder, cloned before the agent starts'),
    }),
  ],
  { error: 'must be true or { "bundle": "<path>" }' },
)

/** A statement, plain or marked; docs/explanation/statistics.md explains what an indicator is. */
const statement = z.union([
  z.string().min(1),
  z.looseObject({
    text: z.string().min(1),
    indicator: z
      .boolean()
      .optional()
      .describe('true: only the arm with the skill can meet it, so it is left out of the difference; false: it counts'),
    weight: z.number().positive().optional().describe('weight in the pass rate of a run; absent: 1'),
    turn: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('it is about the answer to this message of the user, 1 is the prompt; absent: about the whole run'),
  }),
])

/** A further message of the user: its text, or the text with what it waits for and what its answer must be. */
const message = z.union([
  z.string().min(1),
  turn.extend({
    expectations: z.array(statement).optional().describe('statements about the answer to this message'),
  }),
])

export const evalCase = z.looseObject({
  id: z.number().int().optional().describe('unique integer'),
  eval_key: z.string().optional().describe("the source's own id if it is not an integer"),
  name: z.string().optional(),
  prompt: z.string().min(1).describe('the task'),
  expected_output: z.string().optional().describe('what success looks like; seen by the judge, never by the agent'),
  files: z.array(z.string().min(1)).optional().describe('input files or folders, relative to the skill root'),
  attach: z
    .array(z.string().min(1))
    .optional()
    .describe('input files that the prompt names at its end; images are shown to the model where the engine can'),
  expectations: z.array(statement).optional().describe('statements that the judge decides'),
  assertions: z.array(statement).optional().describe('the same as expectations; the name that agentskills.io uses'),
  checks: checks.optional().describe('statements that code decides'),
  rubric: z
    .union([z.literal(false), rubric])
    .optional()
    .describe("weighted dimensions that the judge scores; false: no rubric, not even the file's"),
  reference: z
    .strictObject({ answer: z.string().optional(), files: z.record(z.string(), z.string()).optional() })
    .optional()
    .describe('a known good outcome; never seen by the agent'),
  turns: z.array(message).optional().describe('further messages of the user, sent one by one after each answer'),
  end_when: conversationFields.end_when,
  user: conversationFields.user,
  timeout: z.number().positive().optional().describe('seconds for one run; overrides --timeout'),
  setup: setup.optional(),
  teardown: teardown.optional(),
  env: caseEnv.optional(),
  collect: collect.optional(),
  git: gitStart.optional(),
  repo: repoStart.optional().describe('a repository at a commit, cloned before the agent starts, in both arms'),
  environment: environmentSource.optional().describe('hooks, rules, sub-agents and MCP servers, in both arms'),
  owner: ownerNames.optional().describe("who looks after the case; overrides the file's"),
  owners: ownerNames.optional().describe('the same; several names'),
  quarantine: z
    .union([z.literal(false), quarantine], { error: 'must be true, false, or text with the reason' })
    .optional()
    .describe('true, or the reason: the case runs and is reported, but counts in no number and no gate'),
  split: caseSplit
    .optional()
    .describe('the part of the suite that improve puts the case in; absent: improve deals the case itself'),
  origin: z
    .unknown()
    .optional()
    .describe('where the case comes from, such as the sessions that it was drafted from; not used'),
  review: z
    .string()
    .optional()
    .describe('"draft": a model wrote the case and it has not been reviewed; check and bench report this'),
})

/** What a suite requests from the sandbox (docs/explanation/security.md). It can't open anything that only a user may open. */
export const sandboxSettings = z.strictObject({
  network: z
    .union([z.enum(['none', 'open']), networkByPhase], {
      error: 'must be "none", "open" or { "setup": …, "agent": …, "checks": … }',
    })
    .optional()
    .describe('network access that the suite needs; open: the suite is refused until the user passes --network'),
  writable: z
    .array(z.string().regex(/^\/[^\0]+$/, 'must be an absolute path below /'))
    .optional()
    .describe(
      'absolute folders that are empty at the start and that the agent may write to; their content is not kept',
    ),
  only_writable: z
    .array(pathWithin)
    .optional()
    .describe('the only subfolders of the working folder that the agent may change; created if missing'),
})

/** docs/reference/evals-json.md says what the lenient reader accepts beyond this. */
export const evalsFile = z.looseObject({
  skill_name: z.string().min(1),
  environment: environmentSource.optional().describe('default for cases without their own'),
  setup: setup.optional().describe('default for cases without their own'),
  teardown: teardown.optional().describe('default for cases without their own'),
  env: caseEnv.optional().describe('default for cases without their own'),
  rubric: rubric.optional().describe('default for cases without their own'),
  sandbox: sandboxSettings.optional(),
  owner: ownerNames.optional().describe('who looks after the cases; default for cases without their own'),
  owners: ownerNames.optional().describe('the same; several names'),
  evals: z.array(evalCase).min(1),
})

export type SandboxSettings = z.infer<typeof sandboxSettings>
export type EvalCase = z.infer<typeof evalCase>
export type EvalsFile = z.infer<typeof evalsFile>
export type GitStart = z.infer<typeof gitStart>
