/** An agent that ends without an answer until it is lucky: retries and resumed benchmarks keep count of that, and there is no verdict. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { exitCodes } from '../../../src/cli/exit_codes.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const evals = [1, 2, 3].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'good' }] }))

/** With the skill it ends without an answer the first times of each case, then it is good; without the skill it is bad. */
const agent = `case $(cat) in *1*) id=1 ;; *2*) id=2 ;; *) id=3 ;; esac
[ -d .claude/skills ] || { echo bad; exit; }
echo x >> "$COUNTS/$id"
[ $(wc -l < "$COUNTS/$id") -gt $CRASHES ] || exit 7
echo good
`

function prepare() {
  const cwd = fresh()
  mkdirSync(path.join(cwd, 'counts'))
  writeFileSync(path.join(cwd, 'agent.sh'), agent)
  const skill = makeSkill(evals)
  /** `crashes`: how often each run with the skill ends without an answer. */
  return async (crashes: number, ...flags: string[]) => {
    const settings = [
      '--workspace',
      'ws',
      '--sandbox=off',
      '--trust-suite',
      '--concurrency=1', // the agent counts in a file
      '--pass-env',
      'COUNTS',
      '--pass-env',
      'CRASHES',
    ]
    const args = ['bench', skill, '--engine', 'command:sh ./agent.sh', '--runs', '3', '--gate', 'pass_rate >= 0']
    const env = { COUNTS: path.join(cwd, 'counts'), CRASHES: `${crashes}` }
    const { code, stdout, stderr } = await runMain([...args, ...settings, ...flags], { cwd, env })
    const all = readdirSync(path.join(cwd, 'ws/benchmarks')).sort()
    const file = path.join(cwd, 'ws/benchmarks', all.at(-1) ?? '', 'benchmark.json')
    const made = benchmark.parse(JSON.parse(readFileSync(file, 'utf8')))
    const crashed = made.runs.flatMap(({ result }) => result.agent_crashes ?? [])
    return { code, output: stdout + stderr, benchmarks: all.length, crashed, made }
  }
}

test('within one start: the runs count in the rates, there is no verdict', async () => {
  const bench = prepare()
  const { code, crashed, output, made } = await bench(1, '--retries', '1')
  expect(crashed).toEqual([1, 1, 1]) // the first attempt of each case
  expect(made.run_summary.with_skill?.pass_rate.mean).toBe(1)
  expect(output).toMatch(
    /^Incomplete: 3 of 9 runs with the skill and 0 of 9 without were repeated because the agent had ended without an answer\. The difference is between \+67 and \+100 points/m,
  )
  expect(made.statistics?.scopes?.these_cases.verdict).toBe('incomplete')
  expect(code).toBe(exitCodes.incomplete)
})

test('over a resumed benchmark, and when its runs come from the cache', async () => {
  const bench = prepare()
  const first = await bench(2, '--retries', '0')
  expect(first.code).toBe(exitCodes.incomplete)
  const second = await bench(2, '--retries', '0')
  expect(second.benchmarks).toBe(1)
  expect(second.crashed).toHaveLength(6)
  const again = await bench(2, '--retries', '0')
  expect(again.made.statistics?.missing_grades?.by_configuration.with_skill).toEqual({
    planned: 9,
    missing: 0,
    repeated: 6,
  })
  expect(again.code).toBe(exitCodes.incomplete)
})

test('negative control: an agent that always answers has a verdict', async () => {
  const { code, crashed, output } = await prepare()(0, '--retries', '1')
  expect([code, crashed]).toEqual([exitCodes.done, []])
  expect(output).toMatch(/^Helps: /m)
})
