/** A provider's limit never fails a run and never costs a grade: refused requests wait, and waits are no working time. */
import { describe, expect, test } from 'vitest'
import { makeSkill } from '../program.ts'
import { bench, newestIn, sum, tidySkill, withModel } from './benched.ts'

const rules = "rules: [{ name: says, text: 'TIDY' }]"

async function benched(scenario: string, flags: readonly string[], skill = tidySkill(1)) {
  return await withModel(scenario, async (env, server) => {
    const end = await bench({ skill, env }, '--json', '--retries', '2', ...flags)
    const eventsOf = (kind: string) => end.lines.filter(({ type }) => type === kind)
    const refused = server.requests.filter(({ status }) => status === 429).length
    return { ...end, ...newestIn(end.workspace), eventsOf, refused, last: end.lines.at(-1) }
  })
}

describe('429', () => {
  test('for long, many more than the retries: every run is graded, none failed or was started again', async () => {
    const end = await benched(`faults: [{ status: 429, retry_after: 0.05, first: 20 }]\n${rules}`, ['--runs', '3'])
    expect(end.last, end.stderr).toMatchObject({ exit_code: 0, complete: true, counts: { used: 6, excluded: {} } })
    expect(end.eventsOf('run_retried')).toEqual([])
    expect(end.refused).toBeGreaterThan(0)
    expect(sum(end.records.map(({ held_back }) => held_back?.refusals ?? 0))).toBe(end.refused)
    expect(end.records.every(({ attempts }) => attempts === 1)).toBe(true)
  })
  test('waits do not count as work', async () => {
    const scenario = `faults: [{ status: 429, retry_after: 2, first: 1 }]\n${rules}`
    const { records } = await benched(scenario, ['--concurrency', '1', '--runs', '1'])
    const [slow] = records.filter(({ held_back }) => held_back !== undefined)
    const wall = Date.parse(slow?.ended_at ?? '') - Date.parse(slow?.started_at ?? '')
    expect(slow).toMatchObject({ status: 'completed', held_back: { refusals: 1 } })
    expect(slow?.held_back?.waited_ms).toBeGreaterThan(1900)
    expect((slow?.duration_ms ?? 0) + (slow?.held_back?.waited_ms ?? 0)).toBeLessThan(wall + 100)
  })
  test('of a judge: every expectation has its verdict', async () => {
    const verdicts = [1, 2].map((n) => ({ n, passed: true, evidence: 'TIDY' }))
    const submits = JSON.stringify({ tool_calls: { name: 'submit', input: { verdicts } } })
    const fault = '{ status: 429, retry_after: 0.05, first: 15 }'
    const scenario = `
rules:
  - { name: judge, when: { tool: submit }, fault: ${fault}, answer: ${submits} }
  - { name: says, text: TIDY }
`
    const skill = makeSkill([{ id: 1, prompt: 'say it', expectations: ['It says TIDY.', 'It is short.'] }])
    const end = await benched(scenario, ['--runs', '3'], skill)
    expect(end.last, end.stderr).toMatchObject({ exit_code: 0, complete: true, counts: { used: 6 } })
    const graded = end.eventsOf('grade_finished').map((event) => [event.total, event.judge_errors])
    expect(graded).toEqual(Array(6).fill([2, 0]))
    expect(end.refused).toBe(15)
  })
  test('a wait of years is told with its end, and what ends it before', async () => {
    const scenario = `faults: [{ status: 429, retry_after: 999999999 }]\n${rules}`
    const end = await benched(scenario, ['--runs', '1', '--deadline', '10m'])
    expect(end.last).toMatchObject({ exit_code: 3, counts: { used: 0 } })
    const told = /pause of 277778 h, until 20\d\d-.*Z; Ctrl-C or --deadline ends the wait earlier/
    expect(end.eventsOf('limit_changed')[0]?.reason).toMatch(told)
  })
})

test('a server that says nothing is left after --idle-timeout: no time-out of the agent, no silence in its time', async () => {
  const flags = ['--runs', '1', '--idle-timeout', '1', '--timeout', '60', '--concurrency', '1']
  const end = await benched(`faults: [{ hang: true, first: 1 }]\n${rules}`, flags)
  expect(end.last).toMatchObject({ exit_code: 0, counts: { used: 2, excluded: {} } })
  const retried = [{ kind: 'server_error', message: 'the server sent nothing for 1 s' }]
  expect(end.eventsOf('run_retried')).toMatchObject(retried)
  expect(Math.max(...end.records.map(({ held_back }) => held_back?.waited_ms ?? 0))).toBeGreaterThanOrEqual(1000)
})
