/** Runs that nobody takes are told while they wait, in the queue's status too; a server that is away when a command starts is waited for. */
import { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import { reportUnservedRuns } from '../../../../src/features/queue/coordinator/unserved_runs.ts'
import { queueName, resolveQueueNeeds } from '../../../../src/features/queue/job_requirements.ts'
import { manageQueues } from '../../../../src/features/queue/queue_status.ts'
import { openTransport } from '../../../../src/features/queue/server/open.ts'
import { fresh, makeSkill, whetstone } from '../../../e2e/program.ts'
import { benchHere, makeAgent, queueFor, redisHere, workHere } from '../here.ts'
import { parseQueueAddress } from '../server/queue_address.ts'
import { needsRedis, type QueueServer, startRedis } from '../server/servers.ts'

const soon = { everyMs: 200, enough: 5 }

needsRedis('runs that are out', () => {
  const url = redisHere()

  /** A queue with a job, and what is told of it until it is disposed of. */
  async function outWith(tags: string[]) {
    const transport = await openTransport(parseQueueAddress(url()))
    const needs = resolveQueueNeeds({ name: 'command', model: null }, tags, {})
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
})

needsRedis('a queue server that is away at the start', () => {
  const at: { server?: QueueServer } = {}
  beforeAll(async () => {
    at.server = await startRedis()
    await at.server.kill()
  })
  afterAll(() => at.server?.[Symbol.asyncDispose]())
  const url = () => at.server?.url ?? ''

  /** `queue work` as a process of its own, and what it has said so far. */
  const workerOf = (shared: string) => {
    const flags = ['--queue', url(), '--shared', shared, '--sandbox', 'off', '--engines', 'command']
    const worker = { said: '', child: new ChildProcess(), end: Promise.resolve({ code: -1 as number | null }) }
    const started = (child: ChildProcess) => {
      worker.child = child
      child.stderr?.on('data', (text: string) => {
        worker.said += text
      })
    }
    worker.end = whetstone(['queue', 'work', ...flags], { started })
    return worker
  }
  const says = (worker: { said: string }, text: string) => expect.poll(() => worker.said).toContain(text)

  test('is waited for by worker and coordinator, who say so; then they work. A worker that is stopped while it waits is no failure', async () => {
    const shared = fresh()
    const agent = makeAgent()
    const events: FlowEvent[] = []
    const skill = makeSkill([{ id: 1, prompt: 'one', checks: [{ type: 'contains', value: 'TIDY' }] }])
    const remote = queueFor(url(), shared, { waitMs: 60_000 })
    const [worker, stopped] = [workerOf(shared), workerOf(shared)]
    const running = benchHere({ skill, engine: agent.engine, workspace: fresh(), remote }, { events })
    const awaited = () => events.filter(({ type }) => type === 'queue_awaited')
    await expect.poll(awaited).toMatchObject([{ place: url(), wait_ms: 60_000 }])
    for (const one of [worker, stopped]) await says(one, `waiting up to 1:00 for the queue server at ${url()}: `)
    stopped.child.kill('SIGTERM')
    expect(await stopped.end).toMatchObject({ code: 0 })
    await at.server?.start()
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(awaited()).toHaveLength(1)
    expect(worker.said).toContain(`working for ${url()}`)
    worker.child.kill('SIGINT')
    expect(await worker.end).toMatchObject({ code: 0 })
  })
})
