/** A coordinator does not wait for ever: neither for a worker that never comes nor for a server that stays away. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, type QueueServer, startRedis } from '../../jobs/queue/servers.ts'
import { makeAgent, workHere } from './here.ts'

needsRedis('a bench whose runs go into a queue', () => {
  const at: { server?: QueueServer } = {}
  beforeAll(async () => {
    at.server = await startRedis()
  })
  afterAll(() => at.server?.[Symbol.asyncDispose]())
  const url = () => at.server?.url ?? ''

  function benchOf(prompt: string, engine: string) {
    const skill = makeSkill([{ id: 1, prompt, checks: [{ type: 'contains', value: 'TIDY' }] }])
    const [shared, workspace] = [fresh(), fresh()]
    const flags = ['--queue', url(), '--shared', shared, '--sandbox', 'off', '--runs', '1', '--json']
    const args = ['bench', skill, '--engine', engine, '--workspace', workspace, '--max-wait', '2s', ...flags]
    const stopped = () => {
      const [folder = ''] = readdirSync(path.join(workspace, 'benchmarks'))
      return JSON.parse(readFileSync(path.join(workspace, 'benchmarks', folder, 'benchmark.json'), 'utf8')).metadata
        .stopped
    }
    return { shared, args, stopped }
  }

  test('without a worker ends with 3; continue with the same command when there is one', async () => {
    const agent = makeAgent()
    const { shared, args, stopped } = benchOf('one', agent.engine)
    const end = await whetstone(args)
    expect([end.code, end.stdout]).toEqual([3, expect.stringContaining('"type":"queue_unmet"')])
    expect(stopped()).toMatchObject({ kind: 'max_wait', reason: expect.stringContaining('no worker takes these runs') })
    await using _worker = await workHere(url(), shared)
    expect(await whetstone(args)).toMatchObject({ code: 0 })
  })

  test('with a worker at work waits as long as that takes', async () => {
    const agent = makeAgent()
    const { shared, args } = benchOf('wait', agent.engine)
    await using _worker = await workHere(url(), shared)
    setTimeout(() => agent.open(), 16_000).unref()
    expect(await whetstone(args)).toMatchObject({ code: 0 })
  })

  test('whose server goes away for good ends with 3', async () => {
    const agent = makeAgent()
    const { shared, args, stopped } = benchOf('wait', agent.engine)
    await using _worker = await workHere(url(), shared)
    const running = whetstone(args)
    await agent.untilBegun(1)
    await at.server?.kill()
    const end = await running
    expect([end.code, end.stdout]).toEqual([3, expect.stringContaining('"type":"queue_silent"')])
    expect(stopped()).toMatchObject({ kind: 'max_wait', reason: expect.stringContaining('does not answer') })
    agent.open()
    await at.server?.start()
  })
})
