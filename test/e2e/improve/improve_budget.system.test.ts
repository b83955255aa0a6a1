/** A budget of `improve`: what the test will take is kept back from the start, so that a session which runs out of money still ends with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { startWorker } from '../../flows/queue/worker.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { fresh } from '../program.ts'
import { evals, mends, openWorld, type World } from './improving.ts'

vi.setConfig({ testTimeout: 240_000 })

/** A quarter of what is asked can never be met: after the script is mended there is something left to try. */
const asked = evals(6, (sum) => [`: ${sum}`, String(sum), 'by heart'])
const files = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: asked }) }
const flags = ['--test-runs', '2', '--seed', '3', '--runs', '5', '--iterations', '2']
const open = () => openWorld(mends, 6, files)

interface Spent {
  tokens: number
  runs: number
}

/** What was paid in each benchmark of a session, by what it was for. */
function spentIn({ workspace, history }: World): Record<'noise' | 'train' | 'validation' | 'test', Spent> {
  const { iterations, test: tested } = history()
  const of = (folder = ''): Spent => {
    const lines = readFileSync(path.join(workspace, folder, 'spent.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const tokens = lines.map((line) => JSON.parse(line).tokens as number)
    return { tokens: tokens.reduce((sum, one) => sum + one, 0), runs: lines.length }
  }
  const [v0, v1] = iterations
  return {
    noise: of(v0?.benchmarks?.noise),
    train: of(v1?.benchmarks?.train),
    validation: of(v1?.benchmarks?.validation),
    test: of(tested?.benchmark),
  }
}

/** What a session takes that has money enough. */
async function undisturbed() {
  await using world = await open()
  const end = await world.improve([...flags, '--budget-tokens', '100000000'])
  expect(end.code, end.stderr).toBe(0)
  const history = world.history()
  expect(history).toMatchObject({ current_best: 'v1', stopped: { reason: 'iterations' } })
  const spent = spentIn(world)
  const proposal = history.iterations[1]?.proposal?.tokens ?? 0
  const reserve = ((spent.noise.tokens / spent.noise.runs) * spent.test.runs * 2.25 * 1.1) / 2
  return {
    ...spent,
    proposal,
    reserve,
    kept: /([\d,]+) tokens of the budget are kept for the test/.exec(end.stderr)?.[1],
  }
}

const whole = undisturbed()

test('what is kept back is what the test takes, and a quarter more for the arm that may cost more', async () => {
  const { kept = '', reserve, test: tested } = await whole
  expect(Math.abs(Number(kept.replaceAll(',', '')) - reserve)).toBeLessThan(2)
  expect(reserve).toBeGreaterThan(tested.tokens)
})

test('out of money after a win: the test is made all the same, and the session has ended', async () => {
  const { noise, train, validation, proposal, reserve } = await whole
  const budget = Math.round(noise.tokens + train.tokens + validation.tokens + 1.5 * proposal + reserve)
  await using world = await open()
  const end = await world.improve([...flags, '--budget-tokens', String(budget)])
  expect(end.code, end.stderr + end.stdout).toBe(0)
  const history = world.history()
  expect(history).toMatchObject({ current_best: 'v1', stopped: { reason: 'budget' }, test: { best: 'v1' } })
  expect(history.stopped?.message).toMatch(/does not reach for another round; [\d,]+ tokens of the budget are kept/)
  expect(history.ended_at).toBeDefined()
  const { test: tested } = spentIn(world)
  const spent = noise.tokens + train.tokens + validation.tokens + proposal + tested.tokens
  expect(spent).toBeLessThanOrEqual(budget)
  // control: less is left after the win than another proposal takes, but for what is kept back
  expect(budget - (spent - tested.tokens) - reserve).toBeLessThan(proposal)
})

test('what a resumed session paid before counts', async () => {
  const { noise, train, validation, proposal, reserve } = await whole
  const least = noise.tokens + train.tokens + proposal + reserve
  await using world = await open()
  const end = await world.improve([...flags, '--budget-tokens', String(Math.round(least + 0.3 * validation.tokens))])
  expect(end.code, end.stderr).toBe(3)
  expect(world.history()).toMatchObject({ current_best: 'v0', stopped: { reason: 'budget' } })
  const runs = () => world.asked.filter((text) => text.includes('What is')).length
  const before = runs()
  const again = await world.improve([...flags, '--resume', '--budget-tokens', String(Math.round(least))])
  expect([again.code, world.history().test]).toEqual([3, undefined])
  expect(runs()).toBe(before)
  const more = await world.improve([...flags, '--resume', '--budget-tokens', '100000000'])
  expect(more.code, more.stderr).toBe(0)
  expect(world.history()).toMatchObject({ current_best: 'v1', stopped: { reason: 'iterations' } })
})

test('a budget that leaves nothing for the test pays for no proposal; one too small for v0 and the test is refused', async () => {
  const { noise, reserve } = await whole
  await using world = await open()
  const budget = Math.round(noise.tokens + 0.5 * reserve)
  const end = await world.improve([...flags, '--budget-tokens', String(budget)])
  expect([end.code, world.history().iterations.length]).toEqual([3, 1])
  expect(world.history().stopped?.message).toMatch(/tokens are left, and the test at the end takes about/)
  expect(existsSync(path.join(world.workspace, 'proposals'))).toBe(false)
  const done = await world.improve([...flags, '--resume', '--budget-tokens', '100000000'])
  expect(done.code, done.stderr).toBe(0)
  const made = readdirSync(path.join(world.workspace, 'benchmarks')).length
  const before = world.requests
  const next = await world.improve([...flags, '--budget-tokens', '2000'])
  expect([next.code, next.stderr]).toEqual([
    2,
    expect.stringMatching(/budget too small: the runs of the original version and the test alone/),
  ])
  expect([world.requests, readdirSync(path.join(world.workspace, 'benchmarks')).length]).toEqual([before, made])
})

needsRedis('through a queue', () => {
  test('the workers make every run, and a session that runs out of money ends with its test as on one machine', async () => {
    const { noise, train, validation, test: tested, proposal, reserve } = await whole
    const budget = Math.round(noise.tokens + train.tokens + validation.tokens + 1.5 * proposal + reserve)
    await using server = await startRedis()
    const shared = fresh()
    await using world = await open()
    await using one = await startWorker(server.url, shared, { env: world.env })
    await using two = await startWorker(server.url, shared, { env: world.env })
    const queue = ['--queue', server.url, '--shared', shared, '--sandbox', 'off']
    const end = await world.improve([...flags, ...queue, '--budget-tokens', String(budget)])
    expect(end.code, end.stderr + end.stdout).toBe(0)
    expect(world.history()).toMatchObject({ current_best: 'v1', stopped: { reason: 'budget' }, test: { best: 'v1' } })
    expect(world.history().stopped?.message).toMatch(/tokens of the budget are kept for the test/)
    const spent = spentIn(world)
    // what workers paid is counted as what is paid here
    expect(spent).toEqual({ noise, train, validation, test: tested })
    const lines = [noise, train, validation, tested].reduce((sum, { runs }) => sum + runs, 0)
    expect(one.ended() + two.ended()).toBe(lines)
  })
})
