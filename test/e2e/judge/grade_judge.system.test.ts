/** `grade` by a judge that decides nothing: the verdicts that are there stay, the plan keeps its judge, and the exit code says so. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { grading as gradingSchema } from '../../../schemas/grading.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const judges = path.join(import.meta.dirname, '../../fixtures/judges')
const reader = `command:${process.execPath} ${path.join(judges, 'reader.mjs')}`
const moody = (...moods: string[]) =>
  `command:${process.execPath} ${path.join(judges, 'moody.mjs')} ${fresh()} ${moods.join(' ')}`
const statement = 'outputs/answer.txt says task'
const evalsOf = (...expectations: string[]) => [
  { id: 1, prompt: 'task', expectations, checks: [{ type: 'regex', pattern: 'T|m' }] },
]

async function benched() {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill(evalsOf(statement))
  const args = ['--engine', tidyAgent, '--judge', reader, '--workspace', workspace, '--sandbox', 'off']
  const end = await runMain(['bench', skill, ...args, '--runs', '2', '--concurrency', '1'])
  expect(end.code, end.stderr).toBe(0)
  const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const plan = () => planSchema.parse(JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8')))
  const files = plan().runs.map(({ run_id }) => path.join(folder, run_id, 'grading.json'))
  const texts = () => files.map((file) => readFileSync(file, 'utf8'))
  const errors = () => texts().map((text) => gradingSchema.parse(JSON.parse(text)).judge_errors?.length ?? 0)
  const grade = (judge: string, ...more: string[]) =>
    runMain(['grade', folder, '--judge', judge, '--sandbox', 'off', ...more])
  return { skill, plan, texts, errors, grade }
}

test('a judge that falls over takes no verdict with it; one that decides takes its place', async () => {
  const { plan, texts, grade } = await benched()
  const [before, planned] = [texts(), plan().options.judge]
  const end = await grade(moody('crash'))
  expect(end.code, end.stderr).toBe(3)
  expect(end.stdout).toMatch(/THE JUDGE FAILED: command decided nothing of 4 runs, which keep .*judge fell over/)
  expect(texts()).toEqual(before)
  expect(plan().options.judge).toEqual(planned)
  const json = await grade(moody('crash'), '--json')
  expect(JSON.parse(json.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ exit_code: 3, kept: { runs: 4 } })
  const good = await grade(moody('good'))
  expect(good.code, good.stderr).toBe(0)
  expect(good.stdout).not.toContain('THE JUDGE FAILED')
  expect(plan().options.judge?.command).toContain('good')
  expect(texts().every((text, index) => text !== before[index] && text.includes('quote 1'))).toBe(true)
})

test('one that decides a run before it falls over is the judge of the plan, and the other runs keep theirs', async () => {
  const { plan, texts, errors, grade } = await benched()
  const before = texts()
  const end = await grade(moody('good', 'crash'), '--concurrency', '1')
  expect(end.code, end.stderr).toBe(3)
  expect(end.stdout).toContain('decided nothing of 3 runs')
  expect(texts().filter((text, index) => text === before[index])).toHaveLength(3)
  expect(errors()).toEqual([0, 0, 0, 0])
  expect(plan().options.judge?.command).toContain('good crash')
})

test('under other criteria there is nothing to keep: the errors are written, counted, and the plan keeps its judge', async () => {
  const { skill, plan, errors, grade } = await benched()
  const planned = plan().options.judge
  const evals = evalsOf(statement, 'outputs/answer.txt says more')
  writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  const end = await grade(moody('crash'))
  expect(end.code, end.stderr).toBe(3)
  expect(end.stdout).toMatch(/INCOMPLETE: 4 of 4 planned runs are graded \(8 expectations undecided\)/)
  expect(errors()).toEqual([2, 2, 2, 2])
  expect(plan().options.judge).toEqual(planned)
  expect(plan().cases[0]?.expectations).toHaveLength(2)
})
