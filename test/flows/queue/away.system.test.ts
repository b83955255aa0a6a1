/** A queue server that is away when a command starts: a worker and a coordinator wait and say so. */
import { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, type QueueServer, startRedis } from '../../jobs/queue/servers.ts'
import { benchHere, makeAgent, wishFor } from './here.ts'

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
    const queue = wishFor(url(), shared, { waitMs: 60_000 })
    const [worker, stopped] = [workerOf(shared), workerOf(shared)]
    const running = benchHere({ skill, engine: agent.engine, workspace: fresh(), queue }, { events })
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
