/** A skill whose script is broken in one place, a suite on it, and a practice model that follows the skill; who proposes is up to the test. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type History, history } from '../../../schemas/history.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill, type ProgramEnd, type ProgramOptions, whetstone } from '../program.ts'

const script = (sum: string) => `a=$1 b=$2\necho "sum: $((${sum}))"\n`
export const broken = script('a - b')
export const mended = script('a + b')

const skillText =
  '---\nname: adder\ndescription: Adds two numbers.\n---\n\nRun `sh scripts/add.sh A B` and say what it prints.\n'

/** `count` sums; the answer of each is a number of its own. `also`: what an answer must hold besides. */
export function evals(count: number, also: (sum: number) => string[] = () => []) {
  return Array.from({ length: count }, (_, at) => {
    const [a, b] = [1000 + 37 * at, 210 + at]
    const checks = [`sum: ${a + b}`, ...also(a + b)].map((value) => ({ type: 'contains', value }))
    return { id: at + 1, prompt: `What is ${a} plus ${b}?`, checks }
  })
}

/** The agent: reads the skill, runs its script, says what it printed. */
const agentRules = String.raw`
  - name: reads the skill
    when: { user: '^What is', system: 'file: (?<file>\S+SKILL\.md)', turn: 1 }
    tool_calls: [{ name: [Read], input: { file_path: '{{file}}' } }]
  - name: runs its script
    when: { user: '^What is (?<a>\d+) plus (?<b>\d+)', called: '(?<folder>[^"\s]+)/SKILL\.md', turn: 2 }
    tool_calls: [{ name: [Bash], input: { command: 'sh {{folder}}/scripts/add.sh {{a}} {{b}}' } }]
  - name: answers
    when: { user: '^What is', turn: 3 }
    text: 'It is {{lastResult}}'
  - name: has nothing to go on
    when: { user: '^What is' }
    text: I can not add.
`

/** What each proposer of a round does: a shell command in its first copy of the skill, then its last words. */
export function proposer(name: string, at: { when?: string; command: string; words?: string }): string {
  const condition = at.when === undefined ? '' : `, '${at.when}'`
  const words = at.words ?? `CHANGE 1: ${name}\\nWHY 1: the sums were wrong`
  return `
  - name: ${name} acts
    when: { user: ['^You improve an agent skill'${condition}], turn: 1 }
    tool_calls: [{ name: [Bash], input: { command: ${JSON.stringify(`cd change-1; ${at.command}`)} } }]
  - name: ${name} speaks
    when: { user: ['^You improve an agent skill'${condition}] }
    text: "${words}"
`
}

export const mends = proposer('mends the script', { command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh" })

export interface World extends AsyncDisposable {
  skill: string
  workspace: string
  requests: number
  /** What the model was told, request by request. */
  asked: string[]
  /** The arguments of a session, and what the user has set. */
  command: (flags: readonly string[]) => string[]
  env: Record<string, string>
  /** In this process and without a sandbox, unless the flags name one. */
  improveInProcess: (flags?: readonly string[]) => Promise<Pick<ProgramEnd, 'code' | 'stdout' | 'stderr'>>
  /** By the program, which may be signalled. */
  improve: (flags?: readonly string[], options?: ProgramOptions) => Promise<ProgramEnd>
  history: () => History
}

/** Who runs the cases and proposes, where that is not the engine on the SDK. */
export interface Crew {
  engine: string
  /** What the agent does, as rules of a scenario. */
  agent: string
  env: (url: string) => Record<string, string>
}

export const sdk: Crew = {
  engine: 'anthropic:practice-1',
  agent: agentRules,
  env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' }),
}

export async function openWorld(
  proposers: string,
  cases = 18,
  files: Record<string, string> = {},
  crew = sdk,
): Promise<World> {
  const scenario = `schema_version: 1\nrules:${proposers}${crew.agent}`
  const server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const skill = makeSkill(
    [],
    {
      'SKILL.md': skillText,
      'scripts/add.sh': broken,
      'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: evals(cases) }),
      ...files,
    },
    'adder',
  )
  const workspace = path.join(fresh(), 'ws')
  const env = crew.env(server.url)
  const fixed = ['--engine', crew.engine, '--workspace', workspace]
  const command = (flags: readonly string[]) => [
    ...['improve', skill, ...fixed],
    ...(flags.includes('--total-runs') || flags.includes('--grow-suite') ? [] : ['--total-runs', '40']),
    ...flags,
  ]
  return {
    skill,
    workspace,
    command,
    env,
    get asked() {
      return server.requests.map(({ messages }) => JSON.stringify(messages ?? []))
    },
    get requests() {
      return server.requests.length
    },
    improveInProcess: (flags = []) =>
      runMain([...command(flags), ...(flags.includes('--sandbox') ? [] : ['--sandbox', 'off'])], { env }),
    improve: (flags = [], options = {}) => whetstone(command(flags), { ...options, env: { ...env, ...options.env } }),
    history: () => history.parse(JSON.parse(readFileSync(path.join(workspace, 'history.json'), 'utf8'))),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
