/** A session that is killed, or stopped with Ctrl-C, in any of its phases and resumed ends in the same history as one that was not; a gain that takes too long is no win. */
import { expect, test } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import { broken, mends, openWorld, proposer } from './improving.ts'

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

test('a version that mends the script and has it wait is no win: it takes too long', async () => {
  const slow = proposer('mends and waits', {
    command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh; echo 'sleep 1.4' >> adder/scripts/add.sh",
  })
  // the sum of a training case hangs; a run takes long enough for the longest that may be, 11 times as much
  const script = `${broken.replace('\n', '\n[ $a = 1111 ] && exec sleep 60\n')}sleep 0.3\n`
  await using world = await openWorld(slow, 6, { 'scripts/add.sh': script })
  const end = await world.improve(['--total-runs', '24', '--seed', '1', '--concurrency', '6', '--timeout', '5'])
  expect(end.code, end.stderr).toBe(0)
  const { certification, rounds = [] } = world.history()
  expect(certification).toMatchObject({ result: 'tie', reason: expect.stringMatching(/^time × \d/) })
  expect(rounds[0]?.proposals.map((one) => one.focus).join('\n')).toMatch(/timed out/)
})
