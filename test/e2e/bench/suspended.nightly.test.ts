/** Time belongs to the agent: a coordinator that is stopped (SIGSTOP) blames no agent, and says so; an agent that is slow times out as ever. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RunRecord } from '../../../schemas/run.ts'
import { agent, fresh, type ProgramOptions, whetstone } from '../program.ts'
import { newestIn, tidySkill, withModel } from './benched.ts'

interface Pause {
  /** Milliseconds from the start of the first agent, and for how long. */
  after: number
  ms: number
}

interface Where {
  env?: Record<string, string>
  /** Whether an agent works; absent: AGENT_LOG holds something. */
  works?: () => boolean
}

/** A bench that is stopped once an agent works, and goes on. */
async function benched(flags: readonly string[], pauses: readonly Pause[], where: Where = {}) {
  const [workspace, log] = [path.join(fresh(), 'ws'), path.join(fresh(), 'log')]
  writeFileSync(log, '')
  const { env = {}, works = () => readFileSync(log, 'utf8') !== '' } = where
  const args = ['bench', tidySkill(1), '--workspace', workspace, '--sandbox', 'off', ...flags]
  const pausing: NonNullable<ProgramOptions['started']> = async (child) => {
    while (child.exitCode === null && !works()) await sleep(10)
    for (const { after, ms } of pauses) {
      await sleep(after)
      child.kill('SIGSTOP')
      await sleep(ms)
      child.kill('SIGCONT')
    }
  }
  const end = await whetstone(args, {
    env: { AGENT_LOG: log, ...env },
    started: (child) => void pausing(child),
  })
  expect(end.stderr).not.toContain('error:')
  const { records, result } = newestIn(workspace)
  return { end, records, result }
}

const passing = ['--pass-env', 'AGENT_LOG', '--pass-env', 'AGENT_MS']
const wallMs = ({ started_at, ended_at }: RunRecord) => Date.parse(ended_at) - Date.parse(started_at)

test.each([1, 2, 3])(
  'stopped at a random moment, round %i: every run is completed, and the gap is in no duration',
  async () => {
    const [after, ms] = [Math.random() * 1500, 5000]
    const flags = ['--engine', agent('tidy.mjs'), '--runs', '8', '--concurrency', '16', '--timeout', '4', ...passing]
    const { end, records, result } = await benched(flags, [{ after, ms }], { env: { AGENT_MS: '1000' } })
    const when = `stopped after ${after} ms: ${end.stderr}`
    expect(
      records.map(({ status }) => status),
      when,
    ).toEqual(Array.from({ length: 16 }, () => 'completed'))
    const stopped = records.filter(({ suspended_ms }) => suspended_ms !== undefined)
    expect(stopped.length, when).toBeGreaterThan(0)
    for (const record of stopped) {
      const { duration_ms, suspended_ms = 0, warnings } = record
      expect(suspended_ms, when).toBeGreaterThan(ms - 500)
      expect(duration_ms + suspended_ms, when).toBeLessThanOrEqual(wallMs(record) + 50)
      expect(warnings.join()).toContain('Whetstone was suspended or got no CPU time for')
    }
    expect(result.suspended).toMatchObject({ runs: stopped.length })
    expect(result.notes.join('\n')).toContain(
      `Whetstone was suspended, or the machine too busy for it, during ${stopped.length} run`,
    )
  },
)

test('control: an agent that never ends is timed out in spite of a pause, and only when its own time is up', async () => {
  const flags = ['--engine', agent('tidy.mjs'), '--runs', '1', '--concurrency', '2', '--timeout', '3', ...passing]
  const { records } = await benched(flags, [{ after: 500, ms: 4000 }], { env: { AGENT_MS: '600000' } })
  expect(records.map(({ status, duration_ms }) => [status, duration_ms])).toEqual([
    ['timed_out', 3000],
    ['timed_out', 3000],
  ])
  for (const record of records) expect(wallMs(record)).toBeGreaterThan(6000)
})

test.each(['anthropic', 'openai'])('%s: answers that came while it was stopped are read', async (engine) => {
  await withModel("rules: [{ name: says, text: 'TIDY', latency: 1500 }]", async (env, server) => {
    const how = ['--runs', '4', '--concurrency', '8', '--timeout', '3', '--retries', '0']
    const works = () => server.requests.length > 7
    const flags = ['--engine', `${engine}:practice-1`, ...how]
    const { end, records } = await benched(flags, [{ after: 300, ms: 5000 }], { env, works })
    expect(
      records.map(({ status }) => status),
      end.stderr,
    ).toEqual(Array.from({ length: 8 }, () => 'completed'))
    for (const { suspended_ms } of records) expect(suspended_ms).toBeGreaterThan(4000)
  })
})
