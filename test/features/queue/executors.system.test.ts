/** Runs on this machine and through Redis; the same benchmark from another terminal shows the first one's progress. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { attached, idsOf, openAttaching } from './attaching.ts'
import { executorContract } from './executor_contract.ts'
import { benchHere, makeAgent, redisHere, workHere } from './here.ts'
import { needsRedis, startRedis } from './server/servers.ts'

describe('runs made on this machine', () => executorContract(null))
needsRedis('runs made through Redis', () => executorContract(startRedis))

needsRedis('a benchmark that another terminal asks for too', () => {
  const url = redisHere()
  const benchmarks = (workspace: string) => readdirSync(path.join(workspace, 'benchmarks'))

  test('shows the same there and ends with the same, whole or not; nothing is made twice', async () => {
    const { agent, worker, asked } = await openAttaching(url(), ['crash'])
    await using _worker = worker
    const running = benchHere(asked)
    await agent.untilBegun(2)
    const second = await attached(asked)
    agent.open()
    const [one, two] = await Promise.all([running, second.running])
    expect(two.benchmark).toEqual(one.benchmark)
    expect(two.benchmark).toMatchObject({ complete: false, counts: { used: 4, excluded: { 'failed:crash': 2 } } })
    expect([two.folder, two.paths, two.page]).toEqual([one.folder, one.paths, one.page])
    expect([...two.folders]).toEqual([...one.folders])
    for (const type of ['run_finished', 'grade_finished']) {
      expect(idsOf(two.events, type), type).toEqual(idsOf(one.events, type))
      expect(idsOf(two.events, type).length, type).toBeGreaterThanOrEqual(4)
    }
    expect(agent.starts()).toBe(6)
    expect(benchmarks(asked.workspace)).toHaveLength(1)
  })

  test('Ctrl-C there leaves the first one alone', async () => {
    const { agent, worker, asked } = await openAttaching(url())
    await using _worker = worker
    const running = benchHere(asked)
    await agent.untilBegun(2)
    const second = await attached(asked)
    second.drain.abort(new Error('Ctrl-C'))
    await expect(second.running).rejects.toThrow('Ctrl-C')
    agent.open()
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
    expect(agent.starts()).toBe(4)
  })
})

needsRedis('eval through Redis', () => {
  const url = redisHere()
  test('has its runs made by workers', async () => {
    const [shared, workspace] = [fresh(), fresh()]
    await using worker = await workHere(url(), shared)
    const skill = makeSkill(
      [1, 2].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] })),
    )
    const flags = ['--engine', makeAgent().engine, '--sandbox', 'off', '--workspace', workspace]
    const end = await runMain(['eval', skill, ...flags, '--queue', url(), '--shared', shared])
    expect(end.code, end.stderr).toBe(0)
    expect(worker.told.filter(({ type }) => type === 'job_ended')).toHaveLength(2)
    expect(readdirSync(workspace, { recursive: true, encoding: 'utf8' }).join()).toContain('eval.json')
  })
})
