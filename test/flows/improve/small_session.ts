/** A small skill with a broken script, its suite, a practice model that follows it, and sessions on it through the command line. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type History, history } from '../../../schemas/history.ts'
import type { SessionForecast } from '../../../src/flows/improve/dry_run.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const skillText =
  '---\nname: adder\ndescription: Adds two numbers.\n---\n\nRun `sh scripts/add.sh A B` and say what it prints.\n'

const agent = String.raw`
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

/** What every proposer does, and says at the end. */
function proposer(command: string, words: string): string {
  return `
  - name: acts
    when: { user: '^You improve an agent skill', turn: 1 }
    tool_calls: [{ name: [Bash], input: { command: ${JSON.stringify(command)} } }]
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: ${JSON.stringify(words)}
`
}

const fixes = proposer(
  "sed -i 's/a - b/a + b/' change-1/adder/scripts/add.sh; echo 'Please.' >> change-2/adder/SKILL.md",
  'CHANGE 1: adds in place of subtracting\nWHY 1: the sums were wrong\nCHANGE 2: says please\nWHY 2: it is polite',
)

export interface SmallSession extends AsyncDisposable {
  skill: string
  workspace: string
  /** Answers that the model has given so far; a look at its list of models costs nothing. */
  requests: () => number
  env: Record<string, string>
  improve: (...flags: string[]) => ReturnType<typeof runMain>
  history: () => History
}

export async function openSmallSession({
  cases = 8,
  proposers = fixes,
  engine = 'anthropic:practice-1',
  env: more = {},
  isJudged = false,
}: {
  cases?: number
  proposers?: string
  engine?: string | null
  env?: Record<string, string>
  /** Each case also has an expectation for a judge. */
  isJudged?: boolean
} = {}): Promise<SmallSession> {
  const scenario = parseScenario(`schema_version: 1\nrules:${proposers}${agent}`, 'test.yaml')
  const server = await startPractice({ scenario })
  const evals = Array.from({ length: cases }, (_, at) => {
    const [a, b] = [1000 + 37 * at, 210 + at]
    const judged = isJudged && { expectations: ['The answer is polite'] }
    const checks = [{ type: 'contains', value: `sum: ${a + b}` }]
    return { id: at + 1, prompt: `What is ${a} plus ${b}?`, checks, ...judged }
  })
  const files = {
    'SKILL.md': skillText,
    'scripts/add.sh': 'a=$1 b=$2\necho "sum: $((a - b))"\n',
    'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals }),
  }
  const skill = makeSkill([], files, 'adder')
  const workspace = path.join(fresh(), 'ws')
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice', ...more }
  const fixed = [...(engine === null ? [] : ['--engine', engine]), '--workspace', workspace, '--trust-suite']
  return {
    ...{ skill, workspace, env },
    requests: () => server.requests.filter((one) => one.path === '/v1/messages').length,
    improve: (...flags) => {
      const own = flags.some((one) => one.startsWith('--sandbox=')) ? [] : ['--sandbox=off']
      return runMain(['improve', skill, ...fixed, ...own, ...flags], { cwd: path.dirname(skill), env })
    },
    history: () => history.parse(JSON.parse(readFileSync(path.join(workspace, 'history.json'), 'utf8'))),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** Every proposer fails: its provider refuses the request. */
export const failing = `
  - name: fails
    when: { user: '^You improve an agent skill' }
    fault: { status: 400 }
`

/** What `--dry-run` says. */
export async function foresee(world: SmallSession, ...flags: string[]): Promise<SessionForecast> {
  const { code, stdout, stderr } = await world.improve('--dry-run', '--json', ...flags)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.trimEnd()).not.toContain('\n')
  return JSON.parse(stdout)
}
