/** A suite with a rubric and the checks of files: what is graded, shown, and graded again when the rubric changes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { grading as gradingSchema } from '../../../schemas/grading.ts'
import { sha256 } from '../../../src/base/json/json.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

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
const checks = [
  { type: 'equals', value: 'TIDY' },
  { type: 'file_count', path: '*.txt', count: { equals: 1 } },
  { type: 'file_size', path: 'answer.txt', bytes: { equals: 4 } },
  { type: 'file_hash', path: 'given.txt', sha256: sha256('given\n') },
  { type: 'file_absent', path: 'gone.txt' },
  { type: 'duration_at_most', value: 600 },
]
const suite = (of: object) => [{ id: 1, prompt: 'task', setup: 'echo given > given.txt', rubric: of, checks }]

test('a rubric counts as one expectation and is shown; another threshold is another grading', async () => {
  const calls = fresh()
  const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/scorer.mjs')} ${calls} ${Buffer.from(JSON.stringify(scores)).toString('base64')}`
  const skill = makeSkill(suite(rubric))
  const workspace = path.join(fresh(), 'ws')
  const args = ['--engine', tidyAgent, '--judge', judge, '--workspace', workspace, '--sandbox', 'off']
  const end = await runMain(['bench', skill, ...args, '--runs', '1', '--concurrency', '1'])
  expect(end.code, end.stderr).toBe(0)
  expect(end.stdout).toMatch(/rubric, of 5 +4\.20 ± 0\.00 +4\.20 ± 0\.00/)
  const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
  const folder = path.join(workspace, 'benchmarks', name)
  const grading = (arm: string) =>
    gradingSchema.parse(JSON.parse(readFileSync(path.join(folder, `eval-1-task/${arm}/run-1/grading.json`), 'utf8')))
  expect(grading('with_skill').rubric).toMatchObject({ weighted_score: 4.2, threshold: 4, passed: true })
  expect(grading('with_skill').summary).toMatchObject({ passed: 7, total: 7 })
  expect(grading('without_skill').expectations.filter(({ passed }) => !passed)).toMatchObject([
    { text: 'The final answer is "TIDY"', decided_by: 'check:equals' },
  ])
  const shown = benchmarkSchema.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))
  expect(shown.runs[0]?.rubric?.dimensions[1]).toEqual({
    ...{ name: 'style', weight: 40, score: 3, justification: 'bare', evidence_verified: 'not_a_quote' },
  })
  expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toContain('| accuracy | 5.00 ± 0.00 |')

  const asked = () => readdirSync(calls).length
  const regrade = () => runMain(['grade', folder, '--judge', judge, '--sandbox', 'off'])
  expect(asked()).toBe(2)
  expect((await regrade()).code).toBe(0)
  expect(asked()).toBe(2)
  const evals = path.join(skill, 'evals/evals.json')
  writeFileSync(evals, JSON.stringify({ skill_name: 'tidy', evals: suite({ ...rubric, threshold: 4.5 }) }))
  expect((await regrade()).code).toBe(0)
  expect(grading('with_skill').rubric).toMatchObject({ weighted_score: 4.2, threshold: 4.5, passed: false })
  expect(grading('with_skill').summary).toMatchObject({ passed: 6, total: 7 })
})
