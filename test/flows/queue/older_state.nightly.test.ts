/** A Redis that comes back with an older state, as after a failover: jobs whose removal it has forgotten are not made again for good. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { sharedPaths } from '../../../src/store/shared/shared_runs.ts'
import { fresh } from '../../e2e/program.ts'
import { needsRedis, type QueueServer, startRedis } from '../../jobs/queue/servers.ts'
import { askedOf, benchHere, lives, makeAgent, workHere } from './here.ts'

const queue = queueName(resolveQueueNeeds({ name: 'command', model: null }, [], {}))

/** Keeps a copy of what the server has written; gives what starts it again from that. */
async function copyOf(server: QueueServer): Promise<() => Promise<void>> {
  const client = new Redis({ port: server.port, host: '127.0.0.1' })
  const [, folder = ''] = (await client.config('GET', 'dir')) as string[]
  client.disconnect()
  const [own, copy] = [path.join(folder, 'appendonlydir'), path.join(fresh(), 'copy')]
  cpSync(own, copy, { recursive: true })
  return async () => {
    await server.kill()
    rmSync(own, { recursive: true })
    cpSync(copy, own, { recursive: true })
    await server.start()
  }
}

/** Six runs, of which two were made and committed after the copy and two more submitted; then the server comes back from it. */
async function comeBack(server: QueueServer) {
  const agent = makeAgent()
  const shared = fresh()
  const look = await openTransport(parseQueueAddress(server.url))
  const events: FlowEvent[] = []
  const asked = askedOf(agent, ['wait 1', 'wait 2', 'wait 3'], { url: server.url, shared, atOnce: 4 })
  const limits = { budget: 100, budgetTokens: null, deadline: null, costPerRun: 1 }
  const running = benchHere({ ...asked, limits }, { events })
  const waiting = async () => (await look.counts(queue)).waiting
  await expect.poll(waiting).toBe(4)
  const again = await copyOf(server)
  const first = await workHere(server.url, shared)
  await agent.untilBegun(2)
  const stopping = first.stop()
  agent.open()
  await stopping
  await expect.poll(() => events.filter(({ type }) => type === 'run_finished').length).toBe(2)
  await expect.poll(() => look.counts(queue)).toMatchObject({ waiting: 4, active: 0, done: 0 })
  expect(agent.starts()).toBe(2)
  agent.close()
  await again()
  /** What is left when all is over. */
  const left = async () => ({
    jobs: [...(await look.open(queue)), ...(await look.ended(queue))],
    notes: (await look.notes()).filter(({ id }) => id.startsWith('end-')),
    files: (await running).folder && filesOf(shared, (await running).folder),
  })
  return {
    agent,
    shared,
    look,
    events,
    running,
    waiting,
    left,
    [Symbol.asyncDispose]: () => look[Symbol.asyncDispose](),
  }
}

function filesOf(shared: string, benchmark: string): string[] {
  const folder = sharedPaths(shared).benchmark(readFileSync(path.join(benchmark, '.queue'), 'utf8'))
  return existsSync(folder) ? readdirSync(folder) : []
}

const nothing = { jobs: [], notes: [], files: [] }

needsRedis('a Redis that comes back with an older state', () => {
  test('jobs of runs that are committed are taken away before anybody makes them again', async () => {
    await using server = await startRedis()
    await using at = await comeBack(server)
    const isLost = () => at.events.some(({ type }) => type === 'queue_lost')
    await expect.poll(isLost).toBe(true)
    await expect.poll(at.waiting).toBe(4)
    at.agent.open()
    await using _worker = await workHere(server.url, at.shared)
    const { benchmark, folder } = await at.running
    expect(benchmark).toMatchObject({ complete: true, counts: { planned: 6, used: 6 } })
    expect(await at.left()).toEqual(nothing)
    expect(at.agent.starts()).toBe(6)
    expect(existsSync(path.join(folder, 'attempts.jsonl'))).toBe(false)
  })

  test('those that a worker has begun meanwhile are ended, and what they cost is counted', async () => {
    await using server = await startRedis()
    await using at = await comeBack(server)
    await using worker = await workHere(server.url, at.shared, { concurrency: 8 })
    const ended = () => worker.told.filter(({ type }) => type === 'job_left').length
    await expect.poll(ended).toBe(2)
    await expect.poll(() => at.agent.pids().filter(lives).length).toBe(4)
    await expect.poll(at.agent.starts).toBe(8)
    at.agent.open()
    const { benchmark } = await at.running
    expect(benchmark).toMatchObject({ complete: true, counts: { planned: 6, used: 6 } })
    expect(benchmark.other_attempts).toMatchObject({ attempts: 2 })
    expect(await at.left()).toEqual(nothing)
    expect(at.agent.starts()).toBe(8)
  })
})
