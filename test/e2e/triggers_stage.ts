/** A skill, a set of queries and practice models that use it always, never, by keyword, after other tools or by path. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Triggers, triggers as triggersSchema } from '../../schemas/triggers.ts'
import { parseScenario } from '../../src/practice/scenario.ts'
import { type PracticeServer, startPractice } from '../../src/practice/server.ts'
import { cliBinary } from '../require.ts'
import { fresh, whetstone } from './program.ts'

const models = ['always', 'never', 'keyword', 'after_tools', 'by_path'] as const
/** keyword: where the query says "notes"; by_path: by reading SKILL.md with a file tool. */
export type Model = (typeof models)[number]

export type EngineName = 'anthropic' | 'claude-code'

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

/** After it has read the skill it works on for three more responses, so that ending it early saves something. */
function scenarioOf(model: Model, engine: EngineName): string {
  const isRead = engine === 'anthropic' || model === 'by_path'
  const file = engine === 'anthropic' ? '{{file}}' : '.claude/skills/tidy/SKILL.md'
  const system = engine === 'anthropic' ? String.raw`name: tidy[\s\S]*?file: (?<file>\S+SKILL\.md)` : '^- tidy: '
  const read = isRead ? { name: 'Read', input: { file_path: file } } : { name: 'Skill', input: { skill: 'tidy' } }
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
  const cli = engine === 'claude-code' ? { WHETSTONE_CLAUDE: cliBinary('claude') ?? '' } : {}
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', ...cli }
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

/** Measures with a practice model; what the program ended with, triggers.json, and what the server saw. */
export async function measured({ engine, model, set = queries, args = [], scenario = {}, ...earlier }: Asked) {
  await using server = await practiceFor(model, engine, scenario)
  const { workspace = fresh(), skill = skillWith(set) } = earlier
  const place = ['--workspace', workspace, '--engine', engine, '--model', 'sonnet']
  const end = await whetstone(['triggers', skill, ...place, '--json', ...args], { env: envOf(engine, server) })
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
