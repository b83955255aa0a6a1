/** `grade`: again by the same judge, by one that decides nothing, and by a rubric that changed. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { grading as gradingSchema } from '../../../schemas/grading.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { bench, jsonLines, newestIn } from '../bench/benched.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

/** A judge among the fixtures, which notes in a folder of its own what it was asked. */
const judge = (name: string, words: readonly string[] = [], folder = fresh()) => {
  const program = path.join(import.meta.dirname, '../../fixtures/judges', name)
  return `command:${[process.execPath, program, folder, ...words].join(' ')}`
}
const moody = (...moods: string[]) => judge('moody.mjs', moods)
const reader = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/reader.mjs')}`

const statement = 'outputs/answer.txt says task'
const evalsOf = (...expectations: string[]) => [
  { id: 1, prompt: 'task', expectations, checks: [{ type: 'regex', pattern: 'T|m' }] },
]
const runs = ['with_skill', 'without_skill'].flatMap((arm) => [1, 2].map((n) => `eval-1-task/${arm}/run-${n}`))

async function benched(by: string, evals: readonly object[] = evalsOf(statement)) {
  const skill = makeSkill(evals)
  const flags = ['--judge', by, '--sandbox', 'off', '--concurrency', '1']
  const end = await bench({ skill, engine: tidyAgent }, ...flags, '--runs', '2')
  expect(end.code, end.stderr).toBe(0)
  const { folder, read } = newestIn(end.workspace)
  const gradingOf = (run: string, n = 0) =>
    gradingSchema.parse(JSON.parse(read(`${run}/${n === 0 ? 'grading.json' : `grading-again-${n}.json`}`)))
  return {
    ...{ end, folder, read, gradingOf },
    shown: () => newestIn(end.workspace).result,
    plan: () => planSchema.parse(JSON.parse(read('plan.json'))),
    texts: () => runs.map((run) => read(`${run}/grading.json`)),
    again: (run = '', n = 1) => path.join(folder, run, `grading-again-${n}.json`),
    change: (changed: readonly object[]) =>
      writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals: changed })),
    grade: (...more: string[]) => runMain(['grade', folder, '--sandbox', 'off', ...more]),
  }
}

const asked = (stdout: string) =>
  jsonLines(stdout).filter(({ type, again }) => type === 'grade_finished' && again !== undefined).length

describe('--again, of a judge that wavers', async () => {
  const { texts, gradingOf, change, shown, grade, read, again } = await benched(judge('wavering.mjs'))
  const before = shown()
  const first = texts()
  const end = await grade('--again', '2', '--json', '--concurrency', '1')

  test('asks it twice more for each run; its answers lie beside the grade, which stays', () => {
    expect(end.code, end.stderr).toBe(0)
    expect(asked(end.stdout)).toBe(8)
    expect(texts()).toEqual(first)
    for (const run of runs) {
      const verdicts = [1, 2].map((n) => gradingOf(run, n))
      expect(verdicts.map((one) => one.expectations[0]?.passed).sort()).toEqual([false, true])
      expect(verdicts.map((one) => one.expectations[1]?.passed)).toEqual([true, true])
    }
    expect(shown().run_summary).toEqual(before.run_summary)
  })
  test('makes much of the noise, and benchmark.md says so; its cost is apart', () => {
    const noise = shown().statistics?.noise?.grading
    expect(noise).toMatchObject({ n_runs: 4, gradings: 12 })
    expect(noise?.grading_variance ?? 0).toBeGreaterThan(0.05)
    expect(read('benchmark.md')).toMatch(
      /Graded 3 times, a run's score varies by \d+ points \(standard deviation\): \d+% of the variance/,
    )
    expect(shown().cost).toEqual({ ...before.cost, again_usd: null })
    expect(before.cost).not.toHaveProperty('again_usd')
  })
  test('goes on where it stopped, and adds to what is there', async () => {
    writeFileSync(again(runs[0], 2), '{') // killed while it wrote
    expect(asked((await grade('--again', '2', '--json', '--concurrency', '1')).stdout)).toBe(1)
    expect(asked((await grade('--again', '3', '--json')).stdout)).toBe(4)
    expect(shown().statistics?.noise?.grading?.gradings).toBe(16)
  })
  test('under other criteria begins anew: what was asked before no longer counts', async () => {
    change(evalsOf(statement, 'outputs/answer.txt says other'))
    await grade()
    expect(shown().statistics?.noise).toBeNull()
    expect(asked((await grade('--again', '1', '--json')).stdout)).toBe(4)
    expect(shown().statistics?.noise?.grading).toMatchObject({ n_runs: 4, gradings: 8 })
  })
})

test('Ctrl-C says that not all was come to, ends with 130, and the same command makes the rest', async () => {
  const { folder, again, grade } = await benched(judge('wavering.mjs'))
  const args = ['grade', folder, '--sandbox', 'off', '--concurrency', '1', '--again', '60']
  const end = await whetstone(args, {
    started: (child) => {
      const timer = setInterval(() => {
        if (!existsSync(again(runs[0]))) return
        child.kill('SIGINT')
        clearInterval(timer)
      }, 5)
    },
  })
  expect(end.code, end.stderr).toBe(130)
  expect(end.stdout).toMatch(/^INTERRUPTED before the end; .* continue with /m)
  expect(existsSync(again(runs[3], 60))).toBe(false)
  const rest = await grade('--again', '1', '--json')
  expect(rest.code, rest.stderr).toBe(0)
  expect(rest.stdout).not.toContain('interrupted')
  expect(runs.every((run) => existsSync(again(run)))).toBe(true)
})

describe('a judge that falls over', () => {
  test('takes no verdict with it; one that decides takes its place', async () => {
    const { plan, texts, grade } = await benched(reader)
    const [before, planned] = [texts(), plan().options.judge]
    const end = await grade('--judge', moody('crash'))
    expect(end.code, end.stderr).toBe(3)
    expect(end.stdout).toMatch(
      /THE JUDGE FAILED: command decided nothing of 4 runs, which keep .*; its answers took an unknown number of tokens, cost not known .*judge fell over/,
    )
    expect(texts()).toEqual(before)
    expect(plan().options.judge).toEqual(planned)
    const good = await grade('--judge', moody('good'))
    expect(good.code, good.stderr).toBe(0)
    expect(good.stdout).not.toContain('THE JUDGE FAILED')
    expect(plan().options.judge?.command).toContain('good')
    expect(texts().every((text, index) => text !== before[index] && text.includes('quote 1'))).toBe(true)
  })
  test('after it decided a run is the judge of the plan, and the other runs keep theirs', async () => {
    const { plan, texts, grade } = await benched(reader)
    const before = texts()
    const end = await grade('--judge', moody('good', 'crash'), '--concurrency', '1', '--json')
    expect(end.code, end.stderr).toBe(3)
    expect(jsonLines(end.stdout).at(-1)).toMatchObject({ exit_code: 3, kept: { runs: 3 } })
    expect(texts().filter((text, index) => text === before[index])).toHaveLength(3)
    expect(plan().options.judge?.command).toContain('good crash')
  })
  test('under other criteria has nothing to keep: the errors are written, counted, and the plan keeps its judge', async () => {
    const { change, plan, gradingOf, grade } = await benched(reader)
    const planned = plan().options.judge
    change(evalsOf(statement, 'outputs/answer.txt says more'))
    const end = await grade('--judge', moody('crash'))
    expect(end.code, end.stderr).toBe(3)
    expect(end.stdout).toMatch(/INCOMPLETE: 4 of 4 planned runs are graded \(8 expectations undecided\)/)
    expect(runs.map((run) => gradingOf(run).judge_errors?.length)).toEqual([2, 2, 2, 2])
    expect(plan().options.judge).toEqual(planned)
    expect(plan().cases[0]?.expectations).toHaveLength(2)
  })
})

test('a rubric counts as one expectation and is shown; another threshold is another grading', async () => {
  const rubric = {
    dimensions: [
      { name: 'accuracy', weight: 60 },
      { name: 'style', weight: 40 },
    ],
  }
  const scores = {
    scores: [
      { dimension: 'accuracy', score: 5, justification: 'the task stands there' },
      { dimension: 'style', score: 3, justification: 'bare' },
    ],
    hard_fails: [],
  }
  const checks = [{ type: 'equals', value: 'TIDY' }]
  const suite = (of: object) => [{ id: 1, prompt: 'task', rubric: of, checks }]
  const calls = fresh()
  const scorer = judge('scorer.mjs', [Buffer.from(JSON.stringify(scores)).toString('base64')], calls)
  const { end, shown, read, change, grade, gradingOf } = await benched(scorer, suite(rubric))
  const [first = '', , other = ''] = runs
  expect(end.stdout).toMatch(/rubric, of 5 +4\.20 ± 0\.00 +4\.20 ± 0\.00/)
  expect(gradingOf(first).rubric).toMatchObject({ weighted_score: 4.2, threshold: 4, passed: true })
  expect(gradingOf(first).summary).toMatchObject({ passed: 2, total: 2 })
  const failed = gradingOf(other).expectations.filter(({ passed }) => !passed)
  expect(failed).toMatchObject([{ text: 'The final answer is "TIDY"', decided_by: 'check:equals' }])
  const style = { name: 'style', weight: 40, score: 3, justification: 'bare', evidence_verified: 'not_a_quote' }
  expect(shown().runs[0]?.rubric?.dimensions[1]).toEqual(style)
  expect(read('benchmark.md')).toContain('| accuracy | 5.00 ± 0.00 |')

  const countCalls = () => readdirSync(calls).length
  expect(countCalls()).toBe(4)
  expect((await grade()).code).toBe(0)
  expect(countCalls()).toBe(4)
  change(suite({ ...rubric, threshold: 4.5 }))
  expect((await grade()).code).toBe(0)
  expect(gradingOf(first).rubric).toMatchObject({ weighted_score: 4.2, threshold: 4.5, passed: false })
  expect(gradingOf(first).summary).toMatchObject({ passed: 1, total: 2 })
})
