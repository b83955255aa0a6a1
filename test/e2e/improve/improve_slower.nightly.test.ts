/** A gain that takes too long is no win, and a run that timed out is named as that. */
import { describe, expect, test } from 'vitest'
import { broken, evals, openWorld, proposer } from './improving.ts'

describe('a version that mends the script and has it wait', () => {
  const suite = JSON.stringify({ skill_name: 'adder', evals: evals(6) })
  const slow = proposer('mends and waits', {
    command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh; echo 'sleep 1.4' >> adder/scripts/add.sh",
  })
  /** The sum of a training case. */
  const hangs = broken.replace('\n', '\n[ $a = 1111 ] && exec sleep 60\n')
  test.each([
    [
      'is no win: it takes too long; a run that timed out is named as that',
      hangs,
      [] as string[],
      'tie',
      /^time × \d/,
      /timed out/,
    ],
    [
      'controls: wins where that may be; no other failure has run out of time',
      broken,
      ['--max-time-increase', '1000', '--timeout', '30'],
      'won',
      /^statistically significant/,
      /the outcome was wrong/,
    ],
  ] as const)('%s', async (_, before, flags, result, reason, focus) => {
    // a run takes long enough for the longest that may be, 11 times as much
    const files = { 'scripts/add.sh': `${before}sleep 0.3\n`, 'evals/evals.json': suite }
    await using world = await openWorld(slow, 6, files)
    const timeout = flags.includes('--timeout') ? [] : ['--timeout', '5']
    const asked = ['--total-runs', '24', '--seed', '1', '--concurrency', '6', ...timeout, ...flags]
    const end = await world.improve(asked)
    expect(end.code, end.stderr).toBe(0)
    const { certification, rounds = [] } = world.history()
    expect(certification).toMatchObject({ result, reason: expect.stringMatching(reason) })
    expect(rounds[0]?.proposals.map((one) => one.focus).join('\n')).toMatch(focus)
  })
})
