/** A session of `improve` through a queue: the workers make every run, and what they pay counts as on one machine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { mends, openWorld, type World } from '../../e2e/improve/improving.ts'
import { fresh } from '../../e2e/program.ts'
import { needsRedis, startRedis } from './server/servers.ts'
import { startWorker } from './worker.ts'

const flags = ['--total-runs', '24']

/** Tokens and runs that a session paid for. */
function paidIn({ workspace }: World): { tokens: number; runs: number } {
  const lines = ['searches', 'benchmarks'].flatMap((collection) =>
    readdirSync(path.join(workspace, collection)).flatMap((name) => {
      const file = path.join(workspace, collection, name, 'spent.jsonl')
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    }),
  )
  const tokens = lines.map((line) => JSON.parse(line).tokens as number)
  return { tokens: tokens.reduce((sum, one) => sum + one, 0), runs: lines.length }
}

needsRedis('through a queue', () => {
  test('the workers make every run, of all versions, and their costs count', async () => {
    const budget = ['--budget-tokens', '100000000']
    await using here = await openWorld(mends, 6)
    const local = await here.improveInProcess([...flags, ...budget])
    expect(local.code, local.stderr).toBe(0)
    await using server = await startRedis()
    const shared = fresh()
    await using world = await openWorld(mends, 6)
    await using one = await startWorker(server.url, shared, { env: world.env })
    await using two = await startWorker(server.url, shared, { env: world.env })
    const queue = ['--queue', server.url, '--shared', shared, '--sandbox', 'off']
    const end = await world.improveInProcess([...flags, ...queue, ...budget])
    expect(end.code, end.stderr + end.stdout).toBe(0)
    expect(world.history()).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
    const [paid, alone] = [paidIn(world), paidIn(here)]
    expect(one.ended() + two.ended()).toBe(paid.runs)
    expect(paid.runs).toBeGreaterThanOrEqual(alone.runs)
    // on a busy machine a run is tried again
    expect(paid.runs).toBeLessThanOrEqual(alone.runs + 2)
    expect(paid.tokens / paid.runs).toBeCloseTo(alone.tokens / alone.runs, 0)
  })
})
