/** improve --dry-run: what it foresees, what it refuses, and that it writes and asks nothing. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { certificationPower } from '../../../src/phases/4-report/acceptance/certify.ts'
import { fresh } from '../../e2e/program.ts'
import { foresee, openSmallSession } from './small_session.ts'

test('it says the split, the runs, who decides and the chances; it asks no model and writes nothing', async () => {
  await using world = await openSmallSession()
  const { code, stdout, stderr } = await world.improve('--dry-run')
  expect([code, stderr, world.requests(), existsSync(world.workspace)]).toEqual([0, '', 0, false])
  for (const line of [
    /^split {5}3 training cases, 5 held-out cases;/m,
    /^runs {6}at most 250 runs: 125 for the search in 4 rounds, 125 for the certification$/m,
    /^ +certification: decided by checks alone$/m,
    /^chance {4}that the certification shows a true gain: 39% for 10 points, 86% for 20 points$/m,
  ]) {
    expect(stdout).toMatch(line)
  }
})

test('an unknown cost counts as --cost-per-run; --confirm-on adds its runs', async () => {
  await using world = await openSmallSession()
  const flags = ['--cost-per-run', '0.1', '--total-runs', '100', '--confirm-on', 'anthropic:practice-2']
  const { estimate, left } = await foresee(world, ...flags)
  expect(left).toMatchObject({ search_runs: 50, certification_runs: 50, proposals: 9 })
  expect(left.confirmations).toEqual([{ engine: 'anthropic:practice-2', runs: 50 }])
  const parts = [estimate.search_usd, estimate.certification_usd, estimate.proposals_usd, estimate.usd]
  expect(parts.map((usd) => Math.round(100 * (usd ?? 0)))).toEqual([500, 500, 90, 1090])
  expect(estimate.confirmations).toMatchObject([{ engine: 'anthropic:practice-2', usd: 5 }])
})

test.each([
  [['--certify-judge', 'anthropic:practice-2'], 'second', 1500],
  [['--certify-judge', 'none'], 'code', 1000],
  [['--engine', 'anthropic:opus'], 'same', null],
])('a judge grades each run, a second judge those of the certification too: %j', async (flags, kind, cents) => {
  await using world = await openSmallSession({
    isJudged: true,
    engine: flags.includes('--engine') ? null : 'anthropic:practice-1',
  })
  const made = await foresee(world, '--cost-per-run', '0.1', '--total-runs', '100', ...flags)
  const { certification, estimate } = made
  expect([certification.kind, certification.text.startsWith('warning: ')]).toEqual([kind, kind === 'same'])
  const parts = [estimate.search_usd, estimate.certification_usd].map((usd) => Math.round(100 * (usd ?? 0)))
  // a model with a price needs no --cost-per-run
  if (cents === null) expect(parts.every((part) => part > 50 && part < 1000)).toBe(true)
  else expect(parts).toEqual([1000, cents])
})

describe("don't bother", () => {
  test('with too few runs, naming the runs that are enough', async () => {
    await using world = await openSmallSession()
    const { advice } = await foresee(world, '--total-runs', '40')
    expect(advice).toMatch(
      /^Don't bother: 20 certification runs show a true gain of 20 points in 29% of the sessions; /,
    )
    const [, enough = ''] = /--total-runs (\d+) would show it in half of the sessions$/.exec(advice ?? '') ?? []
    expect((await foresee(world, '--total-runs', enough)).advice).toBeNull()
    expect((await foresee(world, '--total-runs', String(Number(enough) - 2))).advice).not.toBeNull()
  })

  test('with too small a budget, naming the budget that is enough', async () => {
    await using world = await openSmallSession()
    const costs = ['--cost-per-run', '0.1']
    const { advice, budget, power } = await foresee(world, '--budget', '3', ...costs)
    expect(budget).toEqual({ usd: 3, tokens: null, certification_runs: 13 })
    expect(power).toEqual(certificationPower(13).power)
    const [, enough = ''] = /; --budget ([\d.]+) would show it/.exec(advice ?? '') ?? []
    expect((await foresee(world, '--budget', enough, ...costs)).advice).toBeNull()
    expect((await foresee(world, '--budget', String(Number(enough) - 0.3), ...costs)).advice).not.toBeNull()
  })
})

describe('it refuses what the real start refuses, in the same words', () => {
  const away = ['--queue', 'redis://127.0.0.1:1', '--shared', '.', '--queue-wait', '1s']
  test.each<[string, string[], { engine?: string | null }]>([
    ['too few runs', ['--total-runs', '4'], {}],
    ['no engine', [], { engine: null }],
    ['no credentials', ['--proposer', 'openai:gpt-5'], {}],
    ['an unknown cost', ['--budget', '5'], {}],
    ['a budget that is too small', ['--budget', '0.2', '--cost-per-run', '0.1'], {}],
    ['a queue that does not answer', away, {}],
    ['no repository', ['--branch', 'x'], {}],
    ['an answer that cannot be asked for', ['--apply'], {}],
    ['nothing to resume', ['--resume'], {}],
  ])('%s', async (_, flags, more) => {
    await using world = await openSmallSession({ ...more, ...(more.engine === null && { env: noEngine }) })
    const foreseen = await world.improve('--dry-run', ...flags)
    const real = await world.improve(...flags)
    const refusal = ({ code, stderr }: typeof real) => [code, stderr.slice(stderr.indexOf('error: '))]
    expect(refusal(foreseen)).toEqual(refusal(real))
    expect(foreseen.code).not.toBe(0)
    expect([foreseen.stdout, real.stdout, world.requests(), existsSync(world.workspace)]).toEqual(['', '', 0, false])
  })

  test('a workspace that is a file', async () => {
    await using world = await openSmallSession()
    writeFileSync(world.workspace, '')
    const [foreseen, real] = [await world.improve('--dry-run'), await world.improve()]
    expect([foreseen.code, foreseen.stderr]).toEqual([2, real.stderr])
    expect(foreseen.stderr).toMatch(/can't be written/)
  })
})

/** No credential and no agent on the PATH. */
const noEngine = { PATH: path.join(fresh(), 'bin'), ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' }

test.each([
  [['--description', '--suite', 'x.json'], '--suite with --description'],
  [['--grow-suite', '--branch', 'x'], '--grow-suite with --branch'],
])('%j is refused: one of them would be ignored', async (flags, message) => {
  await using world = await openSmallSession()
  const { code, stderr } = await world.improve(...flags)
  expect([code, stderr.includes(`error: ${message}`), world.requests()]).toEqual([2, true, 0])
})
