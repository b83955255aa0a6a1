/** The strict schema of evals.json, for editors. */
import * as z from 'zod'
import { check } from './check.ts'
import { turn } from './conversation.ts'
import { environmentSource, hooks, mcpServers } from './environment.ts'
import { evalCase, evalsFile } from './evals.ts'
import { pathWithin, withinForm } from './paths.ts'

/** A path relative to the skill's folder; not the folder itself nor SKILL.md, which the arm without the skill would see. */
const inputPath = z
  .string()
  .regex(/^(?!\s*(?:\/|(?:[\s\S]*\/)?\.\.(?:\/|\s*$)|(?:\.\/)*(?:\.\/?|SKILL\.md)?\s*$))/)
  .describe('relative to the skill folder, without ..')
const inputPaths = z.array(inputPath).meta({ uniqueItems: true })

const statement = z.union([
  z.string().regex(/\S/),
  z.looseObject({
    text: z.string().regex(/\S/),
    indicator: z
      .boolean()
      .nullish()
      .describe('true: only the arm with the skill can meet it, so it is left out of the difference; false: it counts'),
    weight: z.number().positive().nullish().describe('weight in the pass rate of a run; absent: 1'),
    turn: z
      .number()
      .int()
      .positive()
      .nullish()
      .describe('it is about the answer to this message of the user, 1 is the prompt; absent: about the whole run'),
  }),
])
const statements = z.array(statement).meta({ uniqueItems: true }).nullish()

const message = z.union([
  z.string().regex(/\S/),
  turn.extend({
    prompt: z.string().regex(/\S/),
    expectations: statements.describe('statements about the answer to this message'),
  }),
])

/** `path` is a file of the outcome and stays in the working folder; `script` and `file` stay in the skill's folder. */
const within = { type: 'string', pattern: withinForm.source }
const authoredCheck = check.meta({ properties: { path: within, script: within, file: within } })

const environment = environmentSource.extend({
  files: inputPaths.optional().describe('files that hooks and servers need'),
  rules: inputPaths.optional().describe('Markdown files for .claude/rules/'),
  agents: inputPaths.optional().describe('sub-agents, Markdown files for .claude/agents/'),
  hooks: z.union([inputPath, hooks]).optional().describe('path of a settings.json or hooks.json, or its hooks'),
  mcp_servers: z.union([inputPath, mcpServers]).optional().describe('path of a .mcp.json, or its servers'),
})
const git = z.union([
  z.literal(true).describe('git init and one commit of the input files before the agent starts'),
  z.strictObject({
    bundle: inputPath.describe(
      'a git bundle, cloned before the agent starts; relative to the skill folder, without ..',
    ),
  }),
])

/** At most one check is a reward. */
const oneReward = {
  contains: { type: 'object', required: ['reward'], properties: { reward: { const: true } } },
  minContains: 0,
  maxContains: 1,
}

const has = (field: string, that: object) => ({ required: [field], properties: { [field]: that } })
const some = (item: object) => ({ type: 'array', contains: item })
const filled = { type: 'array', minItems: 1 }
const checkOf = (...types: readonly string[]) => has('type', { enum: types })

/** A `file_modified` check needs something that exists before the run. */
const modifiesWhatIsThere = {
  anyOf: [
    { not: has('checks', some(checkOf('file_modified'))) },
    ...[
      has('files', filled),
      has('attach', filled),
      has('setup', { type: ['string', 'array'] }),
      has('git', { type: 'object' }),
    ],
  ],
}

const authoredCase = evalCase
  .extend({
    id: evalCase.shape.id.nullable(),
    eval_key: evalCase.shape.eval_key.nullable(),
    name: z.string().nullish().describe("the case's name"),
    title: z.string().nullish().describe('alternative to name'),
    prompt: z.string().regex(/\S/).describe('the task'),
    expected_output: evalCase.shape.expected_output.nullable(),
    files: inputPaths.nullish().describe('input files or folders, relative to the skill root'),
    attach: inputPaths
      .nullish()
      .describe('input files that the prompt names at its end; images are shown to the model where the engine can'),
    expectations: statements.describe('statements that the judge decides'),
    assertions: statements.describe('the same as expectations; the name that agentskills.io uses'),
    checks: z
      .array(authoredCheck)
      .meta({ uniqueItems: true, ...oneReward })
      .nullish()
      .describe('statements that code decides'),
    rubric: evalCase.shape.rubric.nullable(),
    reference: z
      .strictObject({ answer: z.string().optional(), files: z.record(pathWithin, z.string()).optional() })
      .nullish()
      .describe('a known good outcome; never seen by the agent'),
    turns: z.array(message).nullish().describe('further messages of the user, sent one by one after each answer'),
    end_when: evalCase.shape.end_when.nullable(),
    user: evalCase.shape.user.nullable(),
    timeout: evalCase.shape.timeout.nullable(),
    setup: evalCase.shape.setup.nullable(),
    teardown: evalCase.shape.teardown.nullable(),
    env: evalCase.shape.env.nullable(),
    collect: evalCase.shape.collect.nullable(),
    git: git.nullish(),
    environment: environment.nullish().describe('hooks, rules, sub-agents and MCP servers, in both arms'),
    review: evalCase.shape.review.nullable(),
  })
  .meta(modifiesWhatIsThere)

/** How a case is judged: by a statement or check, or by the expected output if the case lists none. */
const judged = [
  has('expectations', filled),
  has('assertions', filled),
  has('checks', filled),
  has('rubric', { type: 'object' }),
  {
    required: ['expected_output'],
    properties: {
      expected_output: { type: 'string', pattern: '\\S' },
      ...Object.fromEntries(['expectations', 'assertions', 'checks'].map((name) => [name, { maxItems: 0 }])),
    },
  },
]
const sharedRubric = has('rubric', { type: 'object' })
const noneOfItsOwn = { not: has('rubric', { not: { type: 'null' } }) }
const eachCase = (anyOf: readonly object[]) => ({ properties: { evals: { items: { anyOf } } } })

/** Only the documented form, and what `check` calls a mistake. The loader does not use it: real files are sloppier, and it reads them too. */
export const authoredEvals = evalsFile
  .extend({
    skill_name: z.string().regex(/\S/).describe("the name in SKILL.md's frontmatter"),
    environment: environment.nullish().describe('default for cases without their own'),
    setup: evalsFile.shape.setup.nullable(),
    teardown: evalsFile.shape.teardown.nullable(),
    env: evalsFile.shape.env.nullable(),
    rubric: evalsFile.shape.rubric.nullable(),
    sandbox: evalsFile.shape.sandbox.nullable(),
    evals: z.array(authoredCase).min(1),
  })
  .meta({ anyOf: [eachCase(judged), { ...sharedRubric, allOf: [eachCase([...judged, noneOfItsOwn])] }] })
