/** Budgets of `improve`: the search may spend half, the certification gets the rest, and nothing is paid twice. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import { mends, openWorld, type World } from '../../e2e/improve/improving.ts'
import { improveHere } from './in_process.ts'

const open = () => openWorld(mends, 6)
const wish = { totalRuns: 80 }

/** Tokens and runs that the benchmarks of a collection paid for. */
function paidIn({ workspace }: World, collection: string): { tokens: number; runs: number } {
  const root = path.join(workspace, collection)
  const folders = existsSync(root) ? readdirSync(root) : []
  const lines = folders.flatMap((name) => {
    const file = path.join(root, name, 'spent.jsonl')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  })
  const tokens = lines.map((line) => JSON.parse(line).tokens as number)
  return { tokens: tokens.reduce((sum, one) => sum + one, 0), runs: lines.length }
}

const proposalTokens = ({ rounds = [] }: History) =>
  rounds.flatMap((one) => one.proposals).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)

/** What a session takes that has enough. */
async function undisturbed() {
  await using world = await open()
  const { history } = await improveHere(world, { ...wish, limits: { budgetTokens: 100_000_000 } })
  expect(history).toMatchObject({ current_best: 'v1', stopped: { reason: 'solved' } })
  const [search, certified] = [paidIn(world, 'searches'), paidIn(world, 'benchmarks')]
  const each = search.tokens / search.runs
  const first = (history.rounds?.[0]?.runs ?? 0) * each
  return { search, first, certified, proposals: proposalTokens(history), each }
}

const whole = undisturbed()

test('the search stops at its half; the version that it found is certified with the rest', async () => {
  const { first, proposals } = await whole
  await using world = await open()
  // the first round fits, and no second one
  const half = first + proposals
  const { history } = await improveHere(world, { ...wish, limits: { budgetTokens: Math.round(2 * half) } })
  expect(history).toMatchObject({
    ...{ current_best: 'v1', stopped: { reason: 'budget' }, certification: { result: 'won' } },
    ended_at: expect.any(String),
  })
  expect(history.stopped?.message).toBe('the search used its half of the budget of tokens')
  const spent = paidIn(world, 'searches').tokens + paidIn(world, 'benchmarks').tokens + proposalTokens(history)
  expect(spent).toBeLessThanOrEqual(2 * half)
})

test('too little for a first round: the session waits; --resume with more continues without paying again', async () => {
  const { each } = await whole
  await using world = await open()
  const { history } = await improveHere(world, { ...wish, limits: { budgetTokens: Math.round(3 * each) } })
  expect([history.ended_at, history.stopped?.reason, history.current_best]).toEqual([undefined, 'budget', 'v0'])
  const before = paidIn(world, 'searches').runs
  const poor = await improveHere(world, { ...wish, resume: true, limits: { budgetTokens: Math.round(3 * each) } })
  expect([poor.history.ended_at, paidIn(world, 'searches').runs]).toEqual([undefined, before])
  const more = await improveHere(world, { ...wish, resume: true, limits: { budgetTokens: 100_000_000 } })
  expect(more.history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
  const { search } = await whole
  expect(paidIn(world, 'searches').runs).toBe(search.runs)
})

test('a resumed confirmation counts what search and certification have spent', async () => {
  const { search, proposals, certified, each } = await whole
  await using world = await open()
  const budgetTokens = Math.round(search.tokens + proposals + certified.tokens + 8 * each)
  const asked = { ...wish, confirmOn: ['anthropic:practice-2'], limits: { budgetTokens } }
  const first = await improveHere(world, asked)
  expect(first.history).toMatchObject({ certification: { result: 'won' }, stopped: { reason: 'budget' } })
  const paid = () => paidIn(world, 'searches').tokens + paidIn(world, 'benchmarks').tokens + proposals
  const before = paid()
  const again = await improveHere(world, { ...asked, resume: true })
  expect([again.history.ended_at, again.history.stopped?.reason]).toEqual([undefined, 'budget'])
  expect([before <= budgetTokens, paid()]).toEqual([true, before])
  const more = await improveHere(world, { ...asked, resume: true, limits: { budgetTokens: 100_000_000 } })
  expect(more.history).toMatchObject({
    confirmations: [{ engine: 'anthropic:practice-2' }],
    ended_at: expect.any(String),
  })
})

test('with earlier runs in the workspace, a budget for fewer runs than a session needs is refused before anything runs', async () => {
  await using world = await open()
  await improveHere(world, { ...wish, limits: { budgetTokens: 100_000_000 } })
  const before = world.requests
  const refused = improveHere(world, { ...wish, limits: { budgetTokens: 2000 } })
  await expect(refused).rejects.toThrow(/budget too small: a session needs at least 12 runs, about [\d,]+ tokens/)
  expect([world.requests, existsSync(path.join(world.workspace, 'sessions'))]).toEqual([before, false])
})
