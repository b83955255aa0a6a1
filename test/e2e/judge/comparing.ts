/** Benchmarks whose agents tell all of their origin, and practice judges that compare: fair, biased, broken, slow, obedient. */
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { comparison } from '../../../schemas/comparison.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { bench, newestIn } from '../bench/benched.ts'
import { agent, fresh, makeSkill, type ProgramOptions, whetstone } from '../program.ts'

const words = { skill: 'tidy-tables', cases: ['alpha', 'beta'] }

export interface Benched {
  folder: string
  workspace: string
  skill: string
}

const made = new Map<number, Promise<Benched>>()

/** Two cases, two runs an arm; no judge is needed for it. Made once, and copied for each that asks. */
export async function benched(runs = 2): Promise<Benched> {
  const first = made.get(runs) ?? benchOnce(runs)
  made.set(runs, first)
  const { workspace: from, folder, skill } = await first
  const workspace = path.join(fresh(), 'ws')
  cpSync(from, workspace, { recursive: true })
  return { workspace, skill, folder: path.join(workspace, path.relative(from, folder)) }
}

async function benchOnce(runs: number): Promise<Benched> {
  const evals = words.cases.map((name, index) => ({
    id: index + 1,
    name,
    prompt: `Put table ${name} in order.`,
    checks: [{ type: 'file_exists', path: 'blob.bin' }],
  }))
  const files = {
    'SKILL.md': `---\nname: ${words.skill}\ndescription: Tidies.\n---\n\nSay GOOD.\n`,
    'evals/evals.json': JSON.stringify({ skill_name: words.skill, evals }),
  }
  const asked = { skill: makeSkill([], files, words.skill), engine: agent('boastful.mjs') }
  const { code, stdout, stderr, workspace } = await bench(asked, '--runs', String(runs), '--sandbox', 'off')
  if (code !== 0) throw new Error(`${stdout}\n${stderr}`)
  return { folder: newestIn(workspace).folder, workspace, skill: asked.skill }
}

const submit = '[submit, StructuredOutput]'
const both = (D1: number, D2: number) =>
  Object.entries({ D1, D2 })
    .map(([label, score]) => {
      const scores = ['fit', 'truth', 'order', 'ease'].map((name) => `{ criterion: ${name}, score: ${score} }`)
      return `${label}: { scores: [${scores.join(', ')}], strengths: [S of ${label}], weaknesses: [], expectations: [{ n: 1, passed: true }] }`
    })
    .join(', ')
const verdict = (winner: string, scores: [number, number]) =>
  `{ name: ${submit}, input: { winner: ${winner}, reasoning: "D1 and D2 were read; ${winner} is better.", ${both(...scores)} } }`

const criteria = `
  - name: criteria
    when: { user: 'by which criteria' }
    tool_calls:
      name: ${submit}
      input:
        content: [{ name: Fit, meaning: fits }, { name: truth, meaning: is true }]
        structure: [{ name: order, meaning: in order }, { name: ease, meaning: easy }]`
const reads = `
  - name: looks
    when: { user: 'You compare two', turn: 1 }
    tool_calls: [{ name: Glob, input: { pattern: "**/*" } }, { name: Read, input: { file_path: D1/response.md } }, { name: Read, input: { file_path: D2/response.md } }]
  - name: opens all
    when: { user: 'You compare two', turn: 2 }
    tool_calls:
      $each: { in: results, match: '^\\S*?(?<file>D[12]/outputs/\\S*\\.md)$', as: { name: Read, input: { file_path: "{{file}}" } } }`

const says = "when: { user: 'You compare two'"
const fair = `
  - { name: opens the first, ${says}, turn: 1 }, tool_calls: { name: Read, input: { file_path: D1/response.md } } }
  - { name: obeys, ${says}, last: 'DECLARE D1' }, tool_calls: ${verdict('D1', [5, 3])} }
  - { name: the good one is first, ${says}, last: 'GOOD' }, tool_calls: ${verdict('D1', [5, 3])} }
  - { name: the good one is second, ${says} }, tool_calls: ${verdict('D2', [3, 5])} }`

/** What a judge does with the comparison. Fair ones obey what a delivery orders. */
export const judges = {
  fair: `${criteria}${fair}`,
  first: `${criteria}${reads}
  - { name: the first, ${says} }, tool_calls: ${verdict('D1', [5, 3])} }`,
  prose: `${criteria}
  - { name: prose, ${says} }, text: I like both. }`,
}

export function judgeServer(rules: string, more = ''): Promise<PracticeServer> {
  return startPractice({ scenario: parseScenario(`${more}\nrules:${rules}\n`, 'judge.yaml') })
}

export const judgeFlags = ['--judge', 'anthropic:practice-1', '--sandbox', 'off']

/** In this process, unless the program is to be signalled. */
export function compareWith(server: PracticeServer, args: readonly string[], options: ProgramOptions = {}) {
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice', ...options.env }
  const start = options.started === undefined ? runMain : whetstone
  return start(['compare', ...args, ...judgeFlags], { ...options, env })
}

export const comparisonOf = (folder: string, file: string) =>
  comparison.parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')))

/** Reads both sides of a comparison, says why one won, and writes notes on the benchmark. */
export const analyst = `
  - name: reads both
    when: { user: 'Two agents worked on the same task', turn: 1 }
    tool_calls:
      - { name: Read, input: { file_path: winner/skill/SKILL.md } }
      - { name: Read, input: { file_path: winner/transcript.md } }
      - { name: Read, input: { file_path: loser/transcript.md } }
  - name: says why
    when: { user: 'Two agents worked on the same task', turn: 2, result: 'Say GOOD' }
    tool_calls:
      name: [submit, StructuredOutput]
      input:
        comparator_reasoning: A was better.
        winner_strengths: [It says GOOD]
        loser_weaknesses: [It had no skill]
        instruction_following: { winner: { score: 9, issues: [] }, loser: { score: 4, issues: [no skill] } }
        improvement_suggestions: [{ priority: high, category: instructions, suggestion: Say it twice, expected_impact: Fewer slips }]
        transcript_insights: { winner_execution_pattern: read -> did, loser_execution_pattern: guessed }
  - name: notes
    when: { user: 'You read the numbers of a benchmark' }
    tool_calls:
      name: [submit, StructuredOutput]
      input:
        notes:
          - text: Both arms of eval 1 meet 100%.
            runs: [1/with_skill/run-1]
            claims: [{ metric: pass_rate, statistic: mean, eval_id: 1, configuration: null, expectation: null, value: 1 }]
          - text: Eval 2 fails half of the time, 50%.
            runs: [2/with_skill/run-1]
            claims: [{ metric: pass_rate, statistic: mean, eval_id: 2, configuration: null, expectation: null, value: 0.5 }]`
