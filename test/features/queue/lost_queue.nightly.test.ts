/** A queue server that loses what it carried, or comes back with an older state: what was out is submitted again, what is made is not made again. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { registerCoordinator } from '../../../src/features/queue/coordinator/coordinator_context.ts'
import { sharedPaths } from '../../../src/features/queue/files/shared_runs.ts'
import { queueName, resolveQueueNeeds } from '../../../src/features/queue/job_requirements.ts'
import { manageQueues } from '../../../src/features/queue/queue_status.ts'
import { openTransport } from '../../../src/features/queue/server/open.ts'
import { createQueueTiming, type TakenJob } from '../../../src/features/queue/server/transport.ts'
import { fresh } from '../../e2e/program.ts'
import { askedOf, benchHere, lives, makeAgent, workHere } from './here.ts'
import { parseQueueAddress } from './server/queue_address.ts'
import { needsPostgres, needsRedis, type QueueServer, startPostgres, startRedis } from './server/servers.ts'

const never = new AbortController().signal
const needs = resolveQueueNeeds({ name: 'command', model: null }, [], {})
const queue = queueName(needs)
const prompts = ['wait 1', 'wait 2', 'wait 3', 'wait 4']

async function loseRedis({ port }: QueueServer): Promise<void> {
  const client = new Redis({ port, host: '127.0.0.1' })
  await client.flushall()
  client.disconnect()
}

async function losePostgres({ url }: QueueServer): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const of =
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'whetstone' and tablename <> 'migration'"
  const tables = (await client.query<{ name: string }>(of)).rows.map(({ name }) => `whetstone.${name}`)
  await client.query(`truncate ${tables.join(', ')}`)
  await client.end()
}

function contract(start: () => Promise<QueueServer>, lose: (server: QueueServer) => Promise<void>): void {
  const at: { server?: QueueServer } = {}
  beforeAll(async () => {
    at.server = await start()
  })
  afterAll(() => at.server?.[Symbol.asyncDispose](), 30_000)
  const url = () => at.server?.url ?? ''
  const loseAll = async () => at.server && (await lose(at.server))
  const open = (lockSeconds = 2) => openTransport(parseQueueAddress(url()), createQueueTiming(lockSeconds))

  test('what waits and what is in hand is made all the same: each run ends once, lost attempts are told and counted, agents end', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using worker = await workHere(url(), shared)
    await using look = await open()
    const limits = { budget: 100, budgetTokens: null, deadline: null, costPerRun: 1 }
    const running = benchHere({ ...askedOf(agent, prompts, { url: url(), shared, atOnce: 8 }), limits })
    await agent.untilBegun(2)
    await expect.poll(async () => (await look.counts(queue)).waiting).toBe(6)
    const first = agent.pids()
    await loseAll()
    const left = () => worker.told.filter((event) => event.type === 'job_left' && event.lost).length
    await expect.poll(left).toBe(2)
    await expect.poll(() => first.filter(lives)).toEqual([])
    await agent.untilBegun(4)
    agent.open()
    const { benchmark, events, folder } = await running
    expect(benchmark).toMatchObject({ complete: true, counts: { planned: 8, used: 8 } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [`${event.run_id} ${event.status}`] : []))
    expect(new Set(ends).size).toBe(8)
    expect(ends.filter((end) => end.endsWith(' completed'))).toHaveLength(8)
    expect(agent.starts()).toBe(10)
    expect(benchmark.other_attempts).toMatchObject({ attempts: 2 })
    expect(readFileSync(path.join(folder, 'attempts.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    const lost = events.filter(({ type }) => type === 'queue_lost')
    expect(lost).toMatchObject([{ type: 'queue_lost', place: expect.stringContaining('127.0.0.1'), jobs: 8 }])
    expect(await look.counts(queue)).toMatchObject({ waiting: 0, active: 0, done: 0, failed: 0 })
  })

  test('control: cancelled by a person, what waits and what is in hand ends and is not submitted again; the same command makes it anew', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using _worker = await workHere(url(), shared)
    await using look = await open()
    const asked = askedOf(agent, prompts, { url: url(), shared, atOnce: 8 })
    const running = benchHere(asked)
    await agent.untilBegun(2)
    await expect.poll(async () => (await look.counts(queue)).waiting).toBe(6)
    expect(await manageQueues('cancel', look, new Date())).toMatchObject({ did: 'cancelled: 8' })
    const { benchmark, events, folder } = await running
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 8, used: 0 } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event.status] : []))
    expect(ends).toEqual(Array(8).fill('cancelled'))
    expect(events.filter(({ type }) => type === 'queue_lost')).toEqual([])
    expect(agent.starts()).toBe(2)
    agent.open()
    const { benchmark: again } = await benchHere(asked)
    expect(again).toMatchObject({ complete: true, counts: { used: 8 } })
    expect(agent.starts()).toBe(10)
    expect(existsSync(path.join(folder, 'attempts.jsonl'))).toBe(true) // what was in hand when it was cancelled
    expect(await look.counts(queue)).toMatchObject({ waiting: 0, active: 0, done: 0, failed: 0 })
    expect((await look.notes()).filter(({ id }) => id.startsWith('end-'))).toEqual([])
    await loseAll()
  })

  test('a job that comes again to the worker that has it: the first ends before the second begins, whose lock lives on', async () => {
    await using there = await open(3)
    await using here = await open(3)
    const seen: string[] = []
    const done = new AbortController()
    const handle = async ({ signal }: TakenJob) => {
      seen.push('begins')
      const ended = AbortSignal.any([signal, done.signal])
      if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
      if (signal.aborted) await sleep(300) // an agent takes a moment to end
      seen.push(signal.aborted ? `ends: ${signal.reason.name}` : 'ends')
      signal.throwIfAborted()
      return 'well'
    }
    await using _working = await there.work(queue, { atOnce: 2, handle, onTrouble: () => {} })
    await here.submit(queue, { id: 'a', data: {} })
    await expect.poll(() => seen).toEqual(['begins'])
    await loseAll()
    await here.submit(queue, { id: 'a', data: {} })
    await expect.poll(() => seen).toEqual(['begins', 'ends: LostJob', 'begins'])
    await sleep(6000) // two locks long
    expect(seen).toHaveLength(3)
    done.abort()
    expect(await here.wait(queue, 'a', never)).toEqual({ as: 'done', value: 'well' })
    expect(seen).toEqual(['begins', 'ends: LostJob', 'begins', 'ends'])
    await here.remove(queue, ['a'])
  })

  test('of more jobs than are listed at once each is cancelled', async () => {
    await using here = await open()
    using _board = await registerCoordinator(queue, needs, here)
    const ids = Array.from({ length: 10_050 }, (_, n) => `job-${n}`)
    for (let from = 0; from < ids.length; from += 500) {
      await Promise.all(ids.slice(from, from + 500).map((id) => here.submit(queue, { id, data: {} })))
    }
    expect(await manageQueues('cancel', here, new Date())).toMatchObject({
      did: 'cancelled: 10050',
      queues: [{ queue, counts: { waiting: 0, active: 0 } }],
    })
  })
}

needsRedis('a Redis that loses what it carried', () => contract(startRedis, loseRedis))
needsPostgres('a PostgreSQL that loses what it carried', () => contract(startPostgres, losePostgres))

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
