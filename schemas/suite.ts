/** A suite: a skill's cases in one normal form, whatever format they came from. */
import * as z from 'zod'
import { caseSplit, owners, quarantined } from './case_upkeep.ts'
import { check } from './check.ts'
import { conversationFields } from './conversation.ts'
import { hooks, mcpServers } from './environment.ts'
import { sandboxSettings } from './evals.ts'
import { costGuardrails, golden } from './golden.ts'
import { harborTask } from './harbor_task.ts'
import { pathBelow } from './paths.ts'
import { programAnswer, programName } from './program.ts'
import { repoSource, repoState } from './repo.ts'
import { rubric } from './rubric.ts'

/** One file or folder that both arms get. `path`: its place in the run's working folder; `source`: where it is read from. */
export const inputFile = z.object({
  path: pathBelow,
  source: z.string().min(1),
  kind: z.enum(['file', 'directory']),
  sha256: z.string().describe('hash of the content; for a folder, of its sorted paths and contents'),
  bytes: z.number().int().nonnegative(),
  executable: z
    .literal(true)
    .optional()
    .describe('true: the owner can execute the file; for a folder this is part of sha256'),
})

export const expectation = z.object({
  text: z.string().min(1),
  derived: z
    .boolean()
    .optional()
    .describe('true: derived from expected_output, because the case lists no expectations'),
  indicator: z.boolean().optional(),
  weight: z.number().positive().optional().describe('weight in the pass rate of a run; absent: 1'),
  turn: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('it is about the answer to this message of the user, 1 is the prompt; absent: about the whole run'),
  rubric: rubric.optional().describe('this expectation is the verdict on a rubric; always the last of a case'),
})

/** The git state a run starts from: a fresh repository, or a bundle identified by its content. */
export const gitState = z.union([
  z.literal(true),
  z.object({
    bundle: z.string().min(1).describe('absolute path'),
    sha256: z.string().describe('hash of the bundle'),
    repo: repoState.optional().describe('of a case with `repo`: which commit the bundle has'),
  }),
])

/** What a case adds around the agent; the same in a case and in its runs. */
export const aroundAgent = {
  attach: z
    .array(
      z.object({
        path: pathBelow.describe('also in `files`'),
        image: z.boolean().describe('true: an image, which is shown to the model where the engine can'),
      }),
    )
    .optional()
    .describe('input files that the prompt names at its end; absent: none'),
  teardown: z.string().optional().describe('shell commands that run when the outputs are collected; absent: none'),
  collect: z
    .array(z.string())
    .optional()
    .describe('paths and globs outside the working folder whose files are outputs; absent: none'),
}

/** Programs of the suite that stand in for others on PATH. */
const programs = z.object({
  folder: inputFile.describe('the folder evals/bin'),
  executables: z.array(programName).describe('names of the executable files in it'),
  answers: z.record(programName, z.array(programAnswer)).describe('programs that only give recorded answers'),
})

/** The agent's environment in a case, found and hashed. `path` of a file: below ${ENVIRONMENT_DIR}, .claude/rules/ or .claude/agents/. */
export const environment = z.object({
  files: z.array(inputFile),
  hooks,
  rules: z.array(inputFile),
  agents: z.array(inputFile),
  mcp_servers: mcpServers,
  recordings: z
    .record(z.string(), inputFile)
    .optional()
    .describe('server → file with its recorded answers, which are given instead of starting the server; absent: none'),
  skills: z
    .array(inputFile)
    .optional()
    .describe(
      'files of further skills, as <name>/…, installed where the engine finds skills; absent: only the skill under test',
    ),
  commands: z.array(inputFile).optional().describe('slash commands, for .claude/commands/'),
  instructions: z.string().optional().describe('content of AGENTS.md'),
  system_prompt: z.string().optional().describe("text added to the agent's system prompt"),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe("temperature of the agent's model; absent: the provider's default"),
  tools: z.array(z.string()).optional().describe("tools that the agent may use, by Claude Code's names; absent: all"),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe('environment variables for setup, the agent, its hooks, teardown and checks'),
  programs: programs.optional().describe('programs of the suite that come first on PATH; absent: none'),
  plugin: z
    .object({
      name: z.string().min(1),
      folder: pathBelow.describe('its copy, below ENVIRONMENT_DIR: what CLAUDE_PLUGIN_ROOT stands for'),
    })
    .optional()
    .describe("the plugin that these parts come from; absent: they are the suite's"),
  texts: z.record(pathBelow, z.string()).optional().describe('files created in the working folder: path → content'),
  read_only: z
    .array(pathBelow)
    .optional()
    .describe('files of the working folder that the agent may read but not change; absent: none'),
  agent_texts: z
    .record(pathBelow, z.string())
    .optional()
    .describe('sub-agents: name → content of .claude/agents/<name>.md'),
  may_lack: z
    .object({
      needs: z
        .array(z.string())
        .describe('features that the case needs, in the words of the warning, such as "hooks of PreToolUse"'),
    })
    .optional()
    .describe(
      'features that an engine does not support are left out with a warning, except those the case needs; absent: the case needs all of them',
    ),
})

/** A suite's own settings for its runs: flags override them, and they override Whetstone's defaults. */
export const suiteDefaults = z.object({
  engine: z.string().optional().describe('engine[:model]'),
  unsupported_engine: z
    .string()
    .optional()
    .describe('an engine that the suite names and Whetstone cannot run; --engine replaces it'),
  model: z.string().optional(),
  model_file: z.string().optional().describe('file that names the model; absent: the suite'),
  judge: z.string().optional().describe('engine[:model] or a model'),
  timeout_seconds: z.number().positive().optional(),
  activation: z
    .enum(['natural', 'loaded'])
    .optional()
    .describe('loaded: eval puts the instructions of the skill before each prompt; absent: natural'),
})

/** How a format's cases are judged, if not by Whetstone's own judge. */
export const judging = z.discriminatedUnion('kind', [
  z.object({
    kind: z
      .literal('verdict')
      .describe('verdict: the judge answers VERDICT: PASS or FAIL on the only expectation, which is a rubric'),
  }),
  z.object({ kind: z.literal('golden'), golden }),
])

export const suiteCase = z.object({
  eval_id: z.number().int().nonnegative(),
  eval_key: z.string().nullable().describe("the source's own id if it is not an integer"),
  eval_name: z.string().min(1),
  prompt: z.string(),
  expected_output: z.string().nullable(),
  files: z.array(inputFile),
  expectations: z.array(expectation),
  checks: z.array(check),
  reference: z.object({ answer: z.string().optional(), files: z.record(z.string(), z.string()).optional() }).nullable(),
  timeout_seconds: z.number().positive().nullable(),
  setup: z.string().nullable(),
  ...aroundAgent,
  ...conversationFields,
  git: gitState.nullable(),
  grading_files: z
    .array(inputFile)
    .optional()
    .describe('files of the suite that checks need while they are decided; `path`: as in their `from`; absent: none'),
  repo: repoSource.optional().describe('the repository that the case names; absent: none'),
  environment: environment.optional().describe('absent: none'),
  harbor: harborTask.optional().describe('world and verifier of a Harbor task; absent: another format'),
  cannot_run: z
    .string()
    .nullable()
    .describe('why this case cannot run (a missing input file, no prompt); null when it can'),
  target: z.string().optional().describe('what the case is about: skill:<name>, hook:<event> or agent:<name>'),
  draft: z.literal(true).optional().describe('true: a model wrote the case and it has not been reviewed yet'),
  owners,
  quarantine: quarantined,
  split: caseSplit.optional().describe('the part of the suite that improve puts it in; absent: improve deals it'),
  category: z.string().optional(),
  judging: judging.optional().describe('how eval judges the case; absent, and always in bench: by its expectations'),
  source: z
    .object({ path: z.string(), sha256: z.string() })
    .optional()
    .describe('the source file of the case; a change of the file makes it a different case'),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("the author's notes that the format allows; shown, not used"),
  skill_path: z
    .string()
    .nullable()
    .optional()
    .describe("absolute path of the skill under test; null: none; absent: the suite's skill"),
})

export const loadWarning = z.object({
  file: z.string(),
  at: z.string().describe('JSON path in the file, such as $.evals[2].id'),
  message: z.string(),
  fix: z.string().optional().describe('what the user can do; absent: the message says it'),
})

export const suite = z.object({
  format: z.string().describe('the loader that read it, such as evals.json'),
  path: z.string().describe('absolute path of the suite file'),
  skill_name: z.string().min(1),
  sandbox: sandboxSettings.optional().describe('sandbox settings that the suite requests'),
  root: z.string().optional().describe('absolute path of the skill, package or agent under test'),
  version: z.string().optional().describe('version of the skill, package or agent under test, if it states one'),
  defaults: suiteDefaults.optional(),
  guardrails: costGuardrails.optional().describe('cost limits of the agent under test per day or month'),
  fast_fail: z.boolean().optional().describe('true: no judge is asked after a failed check'),
  cases: z.array(suiteCase),
  warnings: z.array(loadWarning),
})

/** A skill folder, as found. `sha256` covers every file that an agent can see (so not `evals/`). */
export const skill = z.object({
  name: z.string().min(1),
  description: z.string(),
  path: z.string().describe('absolute path of the folder; for a version from git, the path and the ref'),
  sha256: z.string(),
  user_only: z
    .literal(true)
    .optional()
    .describe(
      'true: disable-model-invocation is set, so agents that know it start the skill only when the user says so; absent: it is not',
    ),
})

/** A skill that is installed in a working folder, under its name. */
export const installedSkill = skill.extend({ name: pathBelow })

/** The cases of a benchmark that covers only a part of the suite. */
export const chosenCases = z.object({
  eval_ids: z.array(z.number().int()).describe('eval_id of the chosen cases, in the order of the suite'),
  of: z.number().int().positive().describe('number of cases in the whole suite'),
})

export type InputFile = z.infer<typeof inputFile>
export type Expectation = z.infer<typeof expectation>
export type SuiteCase = z.infer<typeof suiteCase>
export type Environment = z.infer<typeof environment>
export type SuitePrograms = z.infer<typeof programs>
export type GitState = z.infer<typeof gitState>
export type LoadWarning = z.infer<typeof loadWarning>
export type SuiteDefaults = z.infer<typeof suiteDefaults>
export type Suite = z.infer<typeof suite>
export type Skill = z.infer<typeof skill>
export type ChosenCases = z.infer<typeof chosenCases>
