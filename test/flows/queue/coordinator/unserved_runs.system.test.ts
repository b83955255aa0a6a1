/** Runs that nobody takes are told while they wait, in the queue's status too; where somebody could, nothing is said. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import type { WorkerNote } from '../../../../schemas/queue_job.ts'
import { reportUnservedRuns } from '../../../../src/flows/queue/coordinator/unserved_runs.ts'
import { queueName, resolveQueueNeeds } from '../../../../src/flows/queue/job_requirements.ts'
import { manageQueues } from '../../../../src/flows/queue/queue_status.ts'
import { parseQueueAddress } from '../../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../../src/jobs/queue/open.ts'
import { fresh, whetstone } from '../../../e2e/program.ts'
import { needsRedis, startRedis } from '../../../jobs/queue/servers.ts'
import { askedOf, benchHere, makeAgent, redisHere, workHere } from '../here.ts'
import { startWorker } from '../worker.ts'

const soon = { everyMs: 200, enough: 5 }

needsRedis('runs that are out', () => {
  const url = redisHere()

  /** A queue with a job, and what is told of it until it is disposed of. */
  async function outWith(tags: string[], { engine = 'command', env = {} } = {}) {
    const transport = await openTransport(parseQueueAddress(url()))
    const needs = resolveQueueNeeds({ name: engine, model: null }, tags, env)
    const queue = queueName(needs)
    await transport.post({ id: queue, value: { kind: 'queue', queue, needs, at: new Date().toISOString() } })
    const events: FlowEvent[] = []
    const place = { transport, queue, needs }
    const unmet = reportUnservedRuns(place, { emit: (event) => void events.push(event) }, soon)
    return {
      ...{ transport, queue, events },
      types: () => events.map(({ type }) => type),
      submit: () => transport.submit(queue, { id: 'unfit', data: {} }),
      async [Symbol.asyncDispose]() {
        unmet[Symbol.dispose]()
        await transport[Symbol.asyncDispose]()
      },
    }
  }

  test('and need what no worker has are told once, and again when a worker comes that has it', async () => {
    await using _other = await workHere(url(), fresh())
    await using out = await outWith(['nobody', 'b'])
    await sleep(2000)
    expect(out.events).toEqual([]) // nothing is out
    await out.submit()
    await expect.poll(out.types, { timeout: 20_000 }).toEqual(['queue_unmet'])
    await sleep(2000)
    expect(out.events).toEqual([
      {
        ...{ type: 'queue_unmet', queue: out.queue, engine: 'command', tags: ['b', 'nobody'] },
        message: 'no worker takes these runs: engine command, tags b,nobody',
        fix: 'start `whetstone queue work --engines command --tags b,nobody`, or see `whetstone queue status`',
      },
    ])
    await using _fit = await workHere(url(), fresh(), { tags: ['nobody', 'b'] })
    await expect.poll(out.types, { timeout: 20_000 }).toEqual(['queue_unmet', 'queue_met'])
  }, 60_000)

  test('and wait for a worker that lives and could, but takes nothing, are not told', async () => {
    await using out = await outWith(['drained'])
    await out.transport.drain(out.queue, true)
    await using _fit = await workHere(url(), fresh(), { tags: ['drained'] })
    await out.submit()
    await sleep(5000)
    expect(out.events).toEqual([])
    expect((await out.transport.counts(out.queue)).waiting).toBe(1)
  }, 60_000)

  test('and wait on a drained server are told so, and again when it is resumed', async () => {
    await using out = await outWith(['paused'])
    await using _fit = await workHere(url(), fresh(), { tags: ['paused'] })
    await manageQueues('drain', out.transport, new Date())
    try {
      await out.submit()
      await expect.poll(out.types, { timeout: 20_000 }).toEqual(['queue_unmet'])
      expect(out.events).toMatchObject([
        {
          message: 'the queue server is drained: workers take no new runs',
          fix: '`whetstone queue resume` lets them take runs again',
        },
      ])
    } finally {
      await manageQueues('resume', out.transport, new Date())
    }
    await expect.poll(out.types, { timeout: 20_000 }).toEqual(['queue_unmet', 'queue_met'])
  }, 60_000)

  test('and whose only worker has died are told', async () => {
    await using out = await outWith(['died'])
    const at = new Date(Date.now() + 60_000).toISOString() // its clock goes ahead
    const dead: WorkerNote = {
      ...{ kind: 'worker', worker: 'dead', host: 'h', pid: 1, version: '1', engines: ['command'], tags: ['died'] },
      ...{ queues: [out.queue], lacks: [], places: 1, busy: 0, done: 0, failed: 0, refusals: 0, started_at: at, at },
    }
    await out.transport.post({ id: 'dead', value: dead })
    await out.submit()
    await expect.poll(out.types, { timeout: 20_000 }).toEqual(['queue_unmet'])
    await out.transport.takeDown('dead')
  }, 60_000)

  test('and are in the hands of a worker that was killed are told, until another comes', async () => {
    const agent = makeAgent()
    const shared = fresh()
    const flags = ['--tags', 'killed']
    const worker = await startWorker(url(), shared, { flags })
    const events: FlowEvent[] = []
    const running = benchHere(askedOf(agent, ['wait'], { url: url(), shared, tags: ['killed'] }), { events })
    await agent.untilBegun(2)
    worker.child.kill('SIGKILL')
    const told = () => events.filter(({ type }) => type.startsWith('queue_')).map(({ type }) => type)
    await expect.poll(told, { timeout: 60_000 }).toEqual(['queue_unmet'])
    agent.open()
    await using _fit = await workHere(url(), shared, { tags: ['killed'] })
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
  }, 120_000)

  test('and whose account no worker has are told so', async () => {
    const engine = 'anthropic'
    await using _other = await workHere(url(), fresh(), { engines: [engine], env: { ANTHROPIC_API_KEY: 'theirs' } })
    await using out = await outWith([], { engine, env: { ANTHROPIC_API_KEY: 'ours' } })
    await out.submit()
    await expect.poll(out.types, { timeout: 20_000 }).toEqual(['queue_unmet'])
    expect(out.events).toMatchObject([
      { message: expect.stringMatching(/engine anthropic; none has this account's key/) },
    ])
  }, 60_000)

  test('of a benchmark: it says so after ten seconds, the status marks the queue, and it goes on when a worker comes', async () => {
    const agent = makeAgent()
    const shared = fresh()
    const events: FlowEvent[] = []
    const tags = ['late']
    const running = benchHere(askedOf(agent, ['one'], { url: url(), shared, tags }), { events })
    const told = () => events.filter(({ type }) => type.startsWith('queue_')).map(({ type }) => type)
    await expect.poll(told, { timeout: 40_000 }).toEqual(['queue_unmet'])
    const queue = queueName(resolveQueueNeeds({ name: 'command', model: null }, tags, {}))
    const status = await whetstone(['queue', 'status', '--queue', url()])
    expect(status.stdout).toMatch(new RegExp(`${queue} +command,late +2 .* no worker\n`))
    await using look = await openTransport(parseQueueAddress(url()))
    const isUntaken = async () => {
      const { queues } = await manageQueues('status', look, new Date())
      return queues.find((one) => one.queue === queue)?.isUntaken
    }
    expect(await isUntaken()).toBe(true)
    await look.drain(queue, true)
    await using _fit = await workHere(url(), shared, { tags })
    await expect.poll(isUntaken, { timeout: 20_000 }).toBe(false)
    await expect.poll(told, { timeout: 20_000 }).toEqual(['queue_unmet', 'queue_met'])
    await look.drain(queue, false)
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(told()).toEqual(['queue_unmet', 'queue_met'])
  }, 120_000)

  test('a server that does not answer is told once, and that it answers again', async () => {
    await using server = await startRedis()
    await using transport = await openTransport(parseQueueAddress(server.url))
    const events: FlowEvent[] = []
    const needs = resolveQueueNeeds({ name: 'command', model: null }, [], {})
    const place = { transport, queue: queueName(needs), needs }
    using _unmet = reportUnservedRuns(place, { emit: (event) => void events.push(event) }, soon)
    await sleep(2000)
    expect(events).toEqual([])
    await server.kill()
    await expect.poll(() => events, { timeout: 20_000 }).toEqual([{ type: 'queue_silent', place: transport.place }])
    await sleep(1500)
    await server.start()
    const both = ['queue_silent', 'queue_answers']
    await expect.poll(() => events.map(({ type }) => type), { timeout: 20_000 }).toEqual(both)
  }, 60_000)
})
