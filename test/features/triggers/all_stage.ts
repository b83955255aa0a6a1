/** Four skills in a folder, one of which takes queries of another, and a practice model that reads the skills that way. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type TriggerMatrix, triggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { type EngineName, envOf, write } from './triggers_stage.ts'

/** Five queries of each skill; the number in the query tells them apart. */
const descriptions = {
  'chess-coach': 'Explains openings and endgames of chess.',
  invoices: 'Extracts totals and due dates from invoices that suppliers send.',
  'pdf-forms': 'Fills in the fields of forms in any document.',
  'release-notes': 'Writes release notes from merged pull requests.',
} as const
type SkillName = keyof typeof descriptions
const names = Object.keys(descriptions) as SkillName[]

const ownQueries: Record<SkillName, readonly string[]> = {
  'chess-coach': [1, 2, 3, 4, 5].map((n) => `Explain the chess opening number ${n}`),
  // three of five are read as forms
  invoices: [1, 2, 3, 4, 5].map((n) => `What is due on invoice ${n}${n <= 3 ? ' in this PDF' : ''}?`),
  'pdf-forms': [1, 2, 3, 4, 5].map((n) => `Fill in the form ${n} for me`),
  'release-notes': [1, 2, 3, 4, 5].map((n) => `Write the release notes of version ${n}`),
}

/** What the model reads, the first that fits. */
const reading: readonly (readonly [string, SkillName])[] = [
  ['in this PDF', 'pdf-forms'],
  ['chess', 'chess-coach'],
  ['invoice', 'invoices'],
  ['form', 'pdf-forms'],
  ['release', 'release-notes'],
]

export interface FolderOptions {
  /** Skills without a set. */
  without?: readonly SkillName[]
  /** Queries that should not read the skill. */
  negatives?: Partial<Record<SkillName, readonly string[]>>
}

/** A folder with the four skills and a set in each. */
export function fourSkills({ without = [], negatives = {} }: FolderOptions = {}): string {
  const folder = path.join(fresh(), 'skills')
  for (const name of names) {
    write(folder, `${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${descriptions[name]}\n---\n\nDo it.\n`)
    const should = ownQueries[name].map((query) => ({ query, should_trigger: true }))
    const shouldNot = (negatives[name] ?? []).map((query) => ({ query, should_trigger: false }))
    if (!without.includes(name))
      write(folder, `${name}/evals/trigger-eval.json`, JSON.stringify([...should, ...shouldNot]))
  }
  return folder
}

function ruleOf([user, skill]: readonly [string, SkillName], engine: EngineName) {
  const isClaude = engine === 'claude-code'
  const system = isClaude ? `^- ${skill}: ` : String.raw`name: ${skill}\n[\s\S]*?file: (?<file>\S+SKILL\.md)`
  const read = isClaude ? { name: 'Skill', input: { skill } } : { name: 'Read', input: { file_path: '{{file}}' } }
  return { name: `${user} reads ${skill}`, when: { system, user, turn: 1 }, tool_calls: read }
}

async function practiceForAll(engine: EngineName, more: object = {}): Promise<PracticeServer> {
  const rules = [...reading.map((one) => ruleOf(one, engine)), { name: 'answers', text: 'Nothing to read.' }]
  return await startPractice({ scenario: parseScenario(JSON.stringify({ rules, ...more }), 'all.yaml') })
}

export interface AskedAll extends FolderOptions {
  engine?: EngineName
  args?: readonly string[]
  workspace?: string
  folder?: string
  /** Over what the scenario says. */
  scenario?: object
  json?: boolean
}

/** Measures all of the folder; what the program ended with, and trigger_matrix.json if there is one. */
export async function measuredAll({ engine = 'anthropic', args = [], json = true, scenario, ...given }: AskedAll = {}) {
  await using server = await practiceForAll(engine, scenario)
  const { workspace = fresh(), folder = fourSkills(given) } = given
  const sandbox = engine === 'claude-code' ? [] : ['--sandbox', 'off']
  const place = ['--workspace', workspace, '--engine', engine, '--model', 'sonnet', ...sandbox]
  const all = ['triggers', '--all', folder, ...place, ...(json ? ['--json'] : []), ...args]
  const end = await runMain(all, { env: envOf(engine, server) })
  const last = json ? JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '{}') : {}
  const file: unknown = last.file
  const made = typeof file === 'string' ? triggerMatrix.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  return { end, made, workspace, folder, last, requests: server.requests.length }
}

/** trigger_matrix.json; throws what the program said where there is none. */
export function wholeMatrix({ made, end }: { made: TriggerMatrix | null; end: { stderr: string } }): TriggerMatrix {
  if (made === null) throw new Error(end.stderr)
  return made
}
