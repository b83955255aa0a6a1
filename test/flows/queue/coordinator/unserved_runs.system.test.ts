/** Runs that nobody takes are told while they wait, in the queue's status too; where somebody could, nothing is said. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import { reportUnservedRuns } from '../../../../src/flows/queue/coordinator/unserved_runs.ts'
import { queueName, resolveQueueNeeds } from '../../../../src/flows/queue/job_requirements.ts'
import { manageQueues } from '../../../../src/flows/queue/queue_status.ts'
import { parseQueueAddress } from '../../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../../src/jobs/queue/open.ts'
import { fresh, whetstone } from '../../../e2e/program.ts'
import { needsRedis } from '../../../jobs/queue/servers.ts'
import { askedOf, benchHere, makeAgent, redisHere, workHere } from '../here.ts'

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
    await expect.poll(out.types).toEqual(['queue_unmet'])
    await sleep(2000)
    expect(out.events).toEqual([
      {
        ...{ type: 'queue_unmet', queue: out.queue, engine: 'command', tags: ['b', 'nobody'] },
        message: 'no worker takes these runs: engine command, tags b,nobody',
        fix: 'start `whetstone queue work --engines command --tags b,nobody`, or see `whetstone queue status`',
      },
    ])
    await using _fit = await workHere(url(), fresh(), { tags: ['nobody', 'b'] })
    await expect.poll(out.types).toEqual(['queue_unmet', 'queue_met'])
  })

  test('and wait for a worker that lives and could, but takes nothing, are not told', async () => {
    await using out = await outWith(['drained'])
    await out.transport.drain(out.queue, true)
    await using _fit = await workHere(url(), fresh(), { tags: ['drained'] })
    await out.submit()
    await sleep(2000)
    expect(out.events).toEqual([])
    expect((await out.transport.counts(out.queue)).waiting).toBe(1)
  })

  test('and wait on a drained server are told so, and again when it is resumed', async () => {
    await using out = await outWith(['paused'])
    await using _fit = await workHere(url(), fresh(), { tags: ['paused'] })
    await manageQueues('drain', out.transport, new Date())
    try {
      await out.submit()
      await expect.poll(out.types).toEqual(['queue_unmet'])
      expect(out.events).toMatchObject([
        {
          message: 'the queue server is drained: workers take no new runs',
          fix: '`whetstone queue resume` lets them take runs again',
        },
      ])
    } finally {
      await manageQueues('resume', out.transport, new Date())
    }
    await expect.poll(out.types).toEqual(['queue_unmet', 'queue_met'])
  })

  test('and whose account no worker has are told so', async () => {
    const engine = 'anthropic'
    await using _other = await workHere(url(), fresh(), { engines: [engine], env: { ANTHROPIC_API_KEY: 'theirs' } })
    await using out = await outWith([], { engine, env: { ANTHROPIC_API_KEY: 'ours' } })
    await out.submit()
    await expect.poll(out.types).toEqual(['queue_unmet'])
    expect(out.events).toMatchObject([
      { message: expect.stringMatching(/engine anthropic; none has this account's key/) },
    ])
  })

  test('of a benchmark: it says so after ten seconds, the status marks the queue, and it goes on when a worker comes', async () => {
    const agent = makeAgent()
    const shared = fresh()
    const events: FlowEvent[] = []
    const tags = ['late']
    const running = benchHere(askedOf(agent, ['one'], { url: url(), shared, tags }), { events })
    const told = () => events.filter(({ type }) => type.startsWith('queue_')).map(({ type }) => type)
    await expect.poll(told).toEqual(['queue_unmet'])
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
    await expect.poll(isUntaken).toBe(false)
    await expect.poll(told).toEqual(['queue_unmet', 'queue_met'])
    await look.drain(queue, false)
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(told()).toEqual(['queue_unmet', 'queue_met'])
  })
})
