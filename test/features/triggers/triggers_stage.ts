/** A skill, a set of queries and practice models that use it always, never, by keyword, after other tools or by path. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Triggers, triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { cliBinary, cliFolder } from '../../require.ts'

const models = ['always', 'never', 'keyword', 'after_tools', 'by_path'] as const
/** keyword: where the query says "notes"; by_path: by reading SKILL.md with a file tool. */
export type Model = (typeof models)[number]

export type EngineName = 'anthropic' | 'claude-code' | 'openai' | 'codex' | 'opencode'

export interface Query {
  query: string
  should_trigger: boolean
}

/** A folder `<parent>/tidy` with SKILL.md and this set, if any. */
export function skillWith(set: unknown, description = 'Tidies up messy notes.'): string {
  const folder = path.join(fresh(), 'tidy')
  write(folder, 'SKILL.md', `---\nname: tidy\ndescription: ${description}\n---\n\nSay TIDY.\n`)
  if (set !== undefined) write(folder, 'evals/trigger-eval.json', JSON.stringify(set))
  return folder
}

export function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Five that should trigger, with the word "notes" in them, and five that should not. */
export const queries: Query[] = Array.from({ length: 10 }, (_, index) => ({
  query: index % 2 === 0 ? `Please sort out my notes, page ${index}` : `What is ${index} times 7?`,
  should_trigger: index % 2 === 0,
}))

/** How each engine lists the skill to its model, and how that reads it. */
const reading = {
  anthropic: {
    system: String.raw`name: tidy[\s\S]*?file: (?<file>\S+SKILL\.md)`,
    read: { name: 'Read', input: { file_path: '{{file}}' } },
  },
  openai: {
    system: String.raw`name: tidy[\s\S]*?file: (?<file>\S+SKILL\.md)`,
    read: { name: 'Read', input: { file_path: '{{file}}' } },
  },
  'claude-code': { system: '^- tidy: ', read: { name: 'Skill', input: { skill: 'tidy' } } },
  codex: {
    system: [String.raw`^- .(?<root>r\d+). = .(?<folder>\S+/work/\.agents/skills).$`, '^- tidy: '],
    read: { name: 'exec_command', input: { cmd: 'cat {{folder}}/tidy/SKILL.md' } },
  },
  opencode: { system: 'tidy', read: { name: 'skill', input: { name: 'tidy' } } },
} satisfies Record<EngineName, unknown>

/** After it has read the skill it works on for three more responses, so that ending it early saves something. */
function scenarioOf(model: Model, engine: EngineName): string {
  const { system } = reading[engine]
  const byPath = { name: 'Read', input: { file_path: '.claude/skills/tidy/SKILL.md' } }
  const read = model === 'by_path' && engine === 'claude-code' ? byPath : reading[engine].read
  const user = model === 'keyword' ? { user: 'notes' } : {}
  const look = { name: 'looks around', when: { turn: 1 }, tool_calls: { name: 'Bash', input: bash('ls') } }
  const look2 = { name: 'looks again', when: { turn: 2 }, tool_calls: { name: 'Bash', input: bash('ls -a') } }
  const takes = { name: 'takes the skill', when: { system, turn: 1, ...user }, tool_calls: read }
  const late = { ...takes, when: { system, turn: 3 } }
  const rules = {
    always: [takes],
    keyword: [takes],
    by_path: [takes],
    never: [],
    after_tools: [look, look2, late],
  } satisfies Record<Model, unknown[]>
  return JSON.stringify({ rules: [...rules[model], ...worksOn, { name: 'answers', text: 'Nothing to tidy here.' }] })
}

function bash(command: string) {
  return { command, description: command }
}

const worksOn = [1, 2, 3].map((number) => ({
  name: `works on ${number}`,
  when: { called: 'tidy', not_called: `echo ${number}` },
  text: `Working on it. ${'Much is to be said of this. '.repeat(30)}`,
  tool_calls: { name: 'Bash', input: bash(`echo ${number}`) },
}))

export async function practiceFor(model: Model, engine: EngineName, more: object = {}): Promise<PracticeServer> {
  const scenario = { ...JSON.parse(scenarioOf(model, engine)), ...more }
  return await startPractice({ scenario: parseScenario(JSON.stringify(scenario), `${model}.yaml`) })
}

/** The environment of a user who works against that server. */
export function envOf(engine: EngineName, { url }: Pick<PracticeServer, 'url'>): Record<string, string> {
  const anthropic = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' }
  const openai = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'practice' }
  switch (engine) {
    case 'anthropic':
      return anthropic
    case 'openai':
      return openai
    case 'claude-code':
      return { ...anthropic, WHETSTONE_CLAUDE: cliBinary('claude') ?? '' }
    case 'codex':
      return { ...openai, WHETSTONE_CODEX: cliBinary('codex') ?? '' }
    case 'opencode':
      return { ...anthropic, WHETSTONE_OPENCODE: cliBinary('opencode') ?? '', PATH: `${process.env.PATH}:${cliFolder}` }
  }
}

export interface Asked {
  engine: EngineName
  model: Model
  set?: readonly Query[]
  args?: readonly string[]
  /** Over what the model's scenario says. */
  scenario?: object
  /** Of an earlier measurement; absent: new ones. */
  workspace?: string
  skill?: string
}

const modelsOf = {
  anthropic: 'sonnet',
  'claude-code': 'sonnet',
  openai: 'gpt-5.5',
  codex: 'gpt-5.5',
  opencode: 'anthropic/claude-practice-1',
} satisfies Record<EngineName, string>

/** Measures with a practice model; what the program ended with, triggers.json, and what the server saw. */
export async function measured({ engine, model, set = queries, args = [], scenario = {}, ...earlier }: Asked) {
  await using server = await practiceFor(model, engine, scenario)
  const { workspace = fresh(), skill = skillWith(set) } = earlier
  const place = ['--workspace', workspace, '--engine', engine, '--model', modelsOf[engine]]
  const end = await runMain(['triggers', skill, ...place, '--json', ...args], { env: envOf(engine, server) })
  const lines = end.stdout.trim().split('\n').filter(Boolean)
  const file: unknown = JSON.parse(lines.at(-1) ?? '{}').file
  const made = typeof file === 'string' ? triggersSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  const { requests } = server
  return {
    end,
    made,
    workspace,
    skill,
    folder: path.dirname(String(file)),
    requests: requests.length,
    /** How often the skill was listed in each request. */
    offered: requests.flatMap(({ system }) => (system === '' ? [] : [system.split('- name: tidy\n').length - 1])),
    refusals: requests.filter(({ status }) => status === 429).length,
  }
}

/** triggers.json; throws what the program said where there is none. */
export function whole({ made, end }: { made: Triggers | null; end: { stderr: string } }): Triggers {
  if (made === null) throw new Error(end.stderr)
  return made
}
