/** A measurement that is killed, interrupted or slow: what is made stays, and the same command makes the rest. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { runMain } from '../../cli/run_main.ts'
import { whetstone } from '../program.ts'
import { envOf, measured, practiceFor, queries, skillWith, whole } from './triggers_stage.ts'

/** A command that takes a while, and where it leaves what it made. */
function longCommand(more: readonly string[]) {
  const skill = skillWith(queries)
  const workspace = path.join(path.dirname(skill), 'ws')
  const engine = ['--engine', 'anthropic', '--model', 'sonnet', '--sandbox', 'off', '--json']
  return { workspace, command: ['triggers', skill, '--workspace', workspace, ...engine, ...more] }
}

test('killed in the middle, the same command makes only what is missing', async () => {
  await using server = await practiceFor('keyword', 'anthropic', { latency: 150 })
  const { workspace, command } = longCommand(['--runs', '1', '--concurrency', '2'])
  const env = envOf('anthropic', server)
  await whetstone(command, {
    env,
    started: (child) => {
      let seen = 0
      child.stdout?.on('data', (text: string) => {
        seen += text.split('"run_finished"').length - 1
        if (seen >= 3) child.kill('SIGKILL')
      })
    },
  })
  const place = path.join(workspace, 'triggers')
  const [folder = ''] = readdirSync(place)
  expect(existsSync(path.join(place, folder, 'triggers.json'))).toBe(false)
  const end = await runMain(command, { env })
  expect(end.code, end.stderr).toBe(0)
  expect(readdirSync(place)).toEqual([folder])
  const lines = end.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const planned = lines.find(({ type }) => type === 'triggers_planned')
  expect(planned.done).toBeGreaterThanOrEqual(3)
  expect(lines.filter(({ type }) => type === 'run_finished')).toHaveLength(10 - planned.done)
  const made = triggersSchema.parse(JSON.parse(readFileSync(path.join(place, folder, 'triggers.json'), 'utf8')))
  expect(made.results.map(({ trigger_rate }) => trigger_rate)).toEqual(
    queries.map(({ should_trigger }) => (should_trigger ? 1 : 0)),
  )
  // the negative control: without what was made all is made again
  rmSync(workspace, { recursive: true })
  const anew = await runMain(command, { env })
  expect(anew.stdout.split('"run_finished"')).toHaveLength(11)
})

test('Ctrl-C lets what runs end, keeps it, and says so with 130', async () => {
  await using server = await practiceFor('keyword', 'anthropic', { latency: 300 })
  const { command } = longCommand(['--concurrency', '1'])
  const end = await whetstone(command, {
    env: envOf('anthropic', server),
    started: (child) => {
      child.stdout?.once('data', () => setTimeout(() => child.kill('SIGINT'), 500))
    },
  })
  expect(end.code, end.stderr).toBe(130)
  const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ type: 'result', exit_code: 130, complete: false })
  expect(last.summary.runs_missing).toBeGreaterThan(0)
})

test('a run whose time is up is an error, whoever was slow; the same command makes it again', async () => {
  const args = ['--runs', '1', '--timeout', '6', '--retries', '0', '--concurrency', '1', '--sandbox', 'off']
  const asking = {
    engine: 'anthropic',
    model: 'after_tools',
    set: [1, 2].flatMap(() => queries.slice(0, 1)),
    args,
  } as const
  const slow = await measured({ ...asking, scenario: { faults: [{ hang: true, after: 1 }] } })
  expect(slow.end.code, slow.end.stderr).toBe(3)
  const { results, summary } = whole(slow)
  expect(summary).toMatchObject({ runs_decided: 0, runs_failed: 2, passed: 0, failed: 0, undecided: 2 })
  expect(results.map(({ query_runs }) => query_runs[0]?.error?.kind)).toEqual(['timed_out', 'server_error'])
  const { workspace, skill } = slow
  const again = await measured({ ...asking, workspace, skill })
  expect(again.folder).toBe(slow.folder)
  expect(whole(again).summary).toMatchObject({ runs_decided: 2, passed: 2 })
})
