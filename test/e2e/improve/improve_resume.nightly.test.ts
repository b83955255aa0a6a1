/** A session that is killed, or stopped with Ctrl-C, in any of its phases and resumed ends in the same history as one that was not. */
import { expect, test } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import { mends, openWorld } from './improving.ts'

/** What does not name a moment, a duration or a folder. */
function lasting({ iterations, rounds = [], current_best, split, plan, stopped, certification }: History) {
  return {
    ...{ current_best, split, plan, stopped },
    iterations: iterations.map(({ ended_at: _, ...one }) => one),
    rounds: rounds.map(({ ended_at: _, benchmarks, ...one }) => ({ ...one, shown_in: benchmarks.shown.length })),
    certification: certification && {
      ...certification,
      benchmark: null,
      guards: certification.guards.map(({ name, passed }) => ({ name, passed })),
    },
  }
}

// two rounds
const flags = ['--total-runs', '60', '--concurrency', '2']

async function undisturbed(): Promise<{ history: History; requests: number }> {
  await using world = await openWorld(mends, 6)
  const end = await world.improveInProcess(flags)
  expect(end.code, end.stderr).toBe(0)
  return { history: world.history(), requests: world.requests }
}

const whole = undisturbed()

test.each<[string, RegExp, NodeJS.Signals]>([
  ['the first runs', /running v0 on/, 'SIGKILL'],
  ['the mixes', /trying .* runs on training cases/, 'SIGKILL'],
  ['the second round', /running v1 on/, 'SIGKILL'],
  ['the proposals, with Ctrl-C', /asking for 3 proposals/, 'SIGINT'],
  ['the certification, with Ctrl-C', /certification: v1 against v0/, 'SIGINT'],
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
  const more = await world.improveInProcess([...flags, '--resume'])
  expect(more.code, more.stderr).toBe(0)
  const { history, requests } = await whole
  expect(lasting(world.history())).toEqual(lasting(history))
  // only work in flight is repeated: two runs of 4 requests, or three proposals
  expect(world.requests).toBeGreaterThanOrEqual(requests)
  expect(world.requests).toBeLessThanOrEqual(requests + 14)
})
