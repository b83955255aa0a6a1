/** The clock of the machine is set while a run is graded: everything ends as ever, and what was measured is what it took. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../../require.ts'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'
import { newestIn } from './benched.ts'

const library = ['x86_64', 'aarch64']
  .map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file))

/** A benchmark whose last check sets the program's clock by this much. */
async function worked(jump: string, ...flags: string[]) {
  const clock = path.join(fresh(), 'clock')
  writeFileSync(clock, '+0')
  const checks = [
    { type: 'file_exists', path: 'answer.txt' },
    { type: 'command', run: `printf %s '${jump}' > '${clock}'; sleep 0.3` },
  ]
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill([{ id: 1, prompt: 'task', checks }]), '--engine', agent('tidy.mjs')]
  const how = ['--workspace', workspace, '--sandbox', 'off', '--concurrency', '1', ...flags]
  const end = await whetstone([...args, ...how], {
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
  return { end, ...newestIn(workspace) }
}

needs(
  'libfaketime',
  library !== undefined,
  'apt-get install libfaketime',
)('a clock that is set', () => {
  test.each(['-3h', '+40d'])('during a grading, by %s: seconds stay seconds', async (jump) => {
    const { end, gradings, made, read } = await worked(jump, '--runs', '1')
    expect(end.code, end.stderr).toBe(0)
    const timings = made.map((name) => JSON.parse(read(name.replace('run.json', 'timing.json'))))
    expect([timings.length, gradings.length]).toEqual([2, 2])
    const seconds = [
      ...timings.map((timing) => timing.grader_duration_seconds),
      ...gradings.map(({ timing }) => timing.grader_duration_seconds),
    ]
    for (const one of seconds) expect(one).toBeGreaterThanOrEqual(0.3)
    for (const one of seconds) expect(one).toBeLessThan(60)
    // control: the clock was set
    const spans = timings.map((timing) => Date.parse(timing.grader_end) - Date.parse(timing.grader_start))
    expect(spans.some((span) => Math.abs(span) > 3_600_000)).toBe(true)
  })
  test('by a day: a deadline that is a time from now is none the nearer; control: a moment is', async () => {
    const moment = new Date(Date.now() + 1_800_000).toISOString().replace(/\.\d+/, '')
    const { end, records } = await worked('+1d', '--runs', '5', '--deadline', '30m')
    expect([end.code, records.length], end.stderr).toEqual([0, 10])
    const control = await worked('+1d', '--runs', '5', '--deadline', moment)
    expect(control.end.code, control.end.stderr).toBe(3)
    expect(control.records.length).toBeLessThan(10)
  })
})
