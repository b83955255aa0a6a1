/** A session that is killed, or stopped with Ctrl-C, in any of its phases and resumed ends in the same history as one that was not. */
import { expect, test, vi } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import { mends, openWorld } from './improving.ts'

vi.setConfig({ testTimeout: 240_000 })

/** What does not name a moment or a duration. */
function lasting({ iterations, refused, current_best, split, headroom, test: tested, stopped }: History) {
  return {
    ...{ current_best, split, headroom, stopped, refused },
    iterations: iterations.map(({ ended_at: _, benchmarks, gate, ...one }) => {
      const { guards, ...rest } = gate ?? { guards: [] }
      return {
        ...one,
        rest,
        guards: guards.map(({ name, passed }) => ({ name, passed })),
        met: Object.keys(benchmarks ?? {}),
      }
    }),
    test: tested && { ...tested, benchmark: null },
  }
}

const flags = ['--test-runs', '2']

async function undisturbed(): Promise<History> {
  await using world = await openWorld(mends, 6)
  const end = await world.improve(flags)
  expect(end.code, end.stderr).toBe(0)
  return world.history()
}

const whole = undisturbed()

test.each<[string, RegExp, NodeJS.Signals]>([
  ['the baseline', /v0 against itself/, 'SIGKILL'],
  ['a proposal', /a proposal from v0/, 'SIGKILL'],
  ['the training cases', /v1: mends/, 'SIGKILL'],
  ['validation', /up to 3 runs of each/, 'SIGKILL'],
  ['the test', /v1 against v0 on the/, 'SIGKILL'],
  ['validation, with Ctrl-C', /up to 3 runs of each/, 'SIGINT'],
  ['a proposal, with Ctrl-C', /a proposal from v0/, 'SIGINT'],
])('ended in %s', async (_, line, signal) => {
  await using world = await openWorld(mends, 6)
  let said = ''
  const end = await world.improve(flags, {
    started: (child) => {
      child.stderr?.on('data', (text: string) => {
        const isThere = line.test(said)
        said += text
        if (!isThere && line.test(said)) setTimeout(() => child.kill(signal), 150)
      })
    },
  })
  if (signal === 'SIGKILL') expect(end.signal).toBe('SIGKILL')
  else {
    expect([end.code, end.stdout]).toEqual([
      130,
      expect.stringContaining('NOT ENDED: continue with the same command and --resume'),
    ])
    expect(world.history().stopped).toEqual({ reason: 'interrupted', message: 'interrupted' })
  }
  const before = world.requests
  const more = await world.improve([...flags, '--resume'])
  expect(more.code, more.stderr).toBe(0)
  expect(lasting(world.history())).toEqual(lasting(await whole))
  expect(world.requests).toBeGreaterThan(before)
})
