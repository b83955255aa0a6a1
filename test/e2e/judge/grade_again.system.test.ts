/** `grade --again k`: the same transcripts graded k times more, kept beside the grade, split from what runs themselves vary. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { grading as gradingSchema } from '../../../schemas/grading.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const judge = (name: string, folder = fresh()) =>
  `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges', name)} ${folder}`
const evals = [
  {
    id: 1,
    prompt: 'task',
    expectations: ['outputs/answer.txt says task'],
    checks: [{ type: 'regex', pattern: 'T|m' }],
  },
]
const runs = ['with_skill', 'without_skill'].flatMap((arm) => [1, 2].map((n) => `eval-1-task/${arm}/run-${n}`))

async function benched(by: string) {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill(evals)
  const args = ['--engine', tidyAgent, '--judge', by, '--workspace', workspace, '--sandbox', 'off']
  const end = await runMain(['bench', skill, ...args, '--runs', '2', '--concurrency', '1'])
  expect(end.code, end.stderr).toBe(0)
  const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
  const folder = path.join(workspace, 'benchmarks', name)
  const shown = () => benchmarkSchema.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))
  const file = (run: string, n: number) => path.join(folder, run, n === 0 ? 'grading.json' : `grading-again-${n}.json`)
  const grade = (...more: string[]) =>
    runMain(['grade', folder, '--sandbox', 'off', '--concurrency', '1', '--json', ...more])
  return { skill, folder, shown, file, grade }
}

const asked = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) => flowEvent.parse(JSON.parse(line)))
    .filter((event) => event.type === 'grade_finished' && event.again !== undefined).length

describe('a judge that wavers', async () => {
  const { skill, file, shown, grade, folder } = await benched(judge('wavering.mjs'))
  const before = shown()
  const first = runs.map((run) => readFileSync(file(run, 0), 'utf8'))
  const end = await grade('--again', '2')

  test('is asked twice more for each run, and its answers lie beside the grade, which stays', () => {
    expect(end.code, end.stderr).toBe(0)
    expect(asked(end.stdout)).toBe(8)
    expect(runs.map((run) => readFileSync(file(run, 0), 'utf8'))).toEqual(first)
    for (const run of runs) {
      const verdicts = [1, 2].map((n) => gradingSchema.parse(JSON.parse(readFileSync(file(run, n), 'utf8'))))
      expect(verdicts.map((one) => one.expectations[0]?.passed).sort()).toEqual([false, true])
      expect(verdicts.map((one) => one.expectations[1]?.passed)).toEqual([true, true])
    }
    expect(shown().run_summary).toEqual(before.run_summary)
  })
  test('makes much of the noise, and benchmark.md says so; its cost is apart', () => {
    const noise = shown().statistics?.noise?.grading
    expect(noise).toMatchObject({ n_runs: 4, gradings: 12 })
    expect(noise?.grading_variance ?? 0).toBeGreaterThan(0.05)
    expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toMatch(
      /Graded 3 times, a run's score varies by \d+ points \(standard deviation\): \d+% of the variance/,
    )
    expect(shown().cost).toEqual({ ...before.cost, again_usd: null })
    expect(before.cost).not.toHaveProperty('again_usd')
  })
  test('goes on where it stopped, and adds to what is there', async () => {
    writeFileSync(file(runs[0] ?? '', 2), '{') // killed while it wrote
    const again = await grade('--again', '2')
    expect(asked(again.stdout)).toBe(1)
    expect(asked((await grade('--again', '3')).stdout)).toBe(4)
    expect(shown().statistics?.noise?.grading?.gradings).toBe(16)
  })
  test('under other criteria begins anew: what was asked before no longer counts', async () => {
    const other = [{ ...evals[0], expectations: ['outputs/answer.txt says task', 'outputs/answer.txt says other'] }]
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals: other }))
    await grade()
    expect(shown().statistics?.noise).toBeNull()
    expect(asked((await grade('--again', '1')).stdout)).toBe(4)
    expect(shown().statistics?.noise?.grading).toMatchObject({ n_runs: 4, gradings: 8 })
  })
  test('is aggregated as before', async () => {
    const noise = shown().statistics?.noise
    await runMain(['aggregate', folder])
    expect(shown().statistics?.noise).toEqual(noise)
  })
})

test('a judge that is sure adds no noise', async () => {
  const { grade, shown, file, folder } = await benched(judge('reader.mjs'))
  expect((await grade('--again', '1', '--case', '1')).code).toBe(0)
  expect(existsSync(file(runs[3] ?? '', 1))).toBe(true)
  expect(shown().statistics?.noise?.grading).toMatchObject({ grading_variance: 0, n_runs: 4, gradings: 8 })
  expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toMatch(/Graded 2 times, no run's score changed\.$/m)
})

test.each(['-1', '101'])('--again %s is refused', async (times) => {
  const end = await runMain(['grade', fresh(), `--again=${times}`])
  expect(end.code).toBe(2)
  expect(end.stderr).toContain('--again: expected a whole number from 0 to 100')
})

test('Ctrl-C says that not all was come to, ends with 130, and the same command makes the rest', async () => {
  const { folder, file, grade } = await benched(judge('wavering.mjs'))
  const args = ['grade', folder, '--sandbox', 'off', '--concurrency', '1', '--again', '60']
  const end = await whetstone(args, {
    started: (child) => {
      const timer = setInterval(() => {
        if (!existsSync(file(runs[0] ?? '', 1))) return
        child.kill('SIGINT')
        clearInterval(timer)
      }, 5)
    },
  })
  expect(end.code, end.stderr).toBe(130)
  expect(end.stdout).toMatch(/^INTERRUPTED before the end; .* continue with /m)
  expect(existsSync(file(runs[3] ?? '', 60))).toBe(false)
  const rest = await grade('--again', '1')
  expect(rest.code, rest.stderr).toBe(0)
  expect(rest.stdout).not.toContain('interrupted')
  expect(runs.every((run) => existsSync(file(run, 1)))).toBe(true)
})
