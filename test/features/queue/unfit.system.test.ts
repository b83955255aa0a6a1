/** A worker that lacks the program leaves its jobs to another that has it; where none has, the benchmark stops as without a queue. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { QueueNote, WorkerNote } from '../../../schemas/queue_job.ts'
import { LiveNotes } from '../../../src/features/queue/liveness.ts'
import { openTransport } from '../../../src/features/queue/server/open.ts'
import { ReleaseJob, type TakenJob } from '../../../src/features/queue/server/transport.ts'
import {
  canAnotherWorkerRun,
  forgetUnfitWorkers,
  resolveShortage,
} from '../../../src/features/queue/worker/job_fetcher.ts'
import { fresh } from '../../e2e/program.ts'
import { askedOf, benchHere, redisHere, type WorkerHere, workHere } from './here.ts'
import { parseQueueAddress } from './server/queue_address.ts'
import { needsRedis } from './server/servers.ts'

const lacks = /^left to another worker: missing_binary: .*; this worker takes no job from its queue for 5 s$/

/** A PATH with an agent that takes a moment. */
function pathWithAgent(): string {
  const folder = fresh()
  writeFileSync(path.join(folder, 'tidy-agent'), '#!/bin/sh\ncat > /dev/null; sleep 0.3; echo TIDY\n', { mode: 0o755 })
  return `${folder}:${process.env.PATH}`
}

/** A server that knows every model, and whose account is empty. */
async function emptyAccount() {
  const server = createServer((request, response) => {
    const isAsked = request.method === 'POST'
    const body = isAsked ? { error: { code: 'insufficient_quota', message: 'pay' } } : { object: 'list', data: [] }
    response.writeHead(isAsked ? 429 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((end) => server.close(end))
    },
  }
}

needsRedis('a worker that lacks the program', () => {
  const url = redisHere()
  const here = { env: { PATH: pathWithAgent() } }
  const asked = (shared: string, tag: string, atOnce = 4) =>
    askedOf({ engine: 'command:tidy-agent' }, ['one', 'two'], { url: url(), shared, tags: [tag], atOnce })
  const told = ({ told }: WorkerHere, type: string) => told.filter((event) => event.type === type)

  test('leaves its jobs to one that has it, and takes nothing of the queue for a while: the benchmark is complete', async () => {
    const shared = fresh()
    const tags = ['mixed']
    await using unfit = await workHere(url(), shared, { tags })
    await using fit = await workHere(url(), shared, { ...here, tags, concurrency: 1 })
    const { benchmark } = await benchHere({ ...asked(shared, 'mixed'), runs: 3 }, here)
    expect(benchmark).toMatchObject({ complete: true, counts: { planned: 12, used: 12, excluded: {} } })
    const left = told(unfit, 'job_left')
    expect(left[0]).toMatchObject({ reason: expect.stringMatching(lacks), lost: false })
    expect(left.length).toBeLessThan(12) // a few each time that it looks again
    expect(told(unfit, 'job_ended')).toEqual([])
    expect(told(fit, 'job_ended')).toHaveLength(12)
    expect(benchmark.other_attempts).toMatchObject({ attempts: left.length, usd: 0 })
  })

  test('and is one of two that do: what both could not do is a failed record, and one round of the two is enough', async () => {
    const shared = fresh()
    const tags = ['many']
    await using one = await workHere(url(), shared, { tags })
    await using two = await workHere(url(), shared, { tags })
    const { benchmark, events } = await benchHere({ ...asked(shared, 'many', 40), runs: 10 }, here)
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 40, used: 0 } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event.kind] : []))
    expect(new Set(ends)).toEqual(new Set(['missing_binary']))
    const left = [one, two].map((worker) => told(worker, 'job_left').length)
    expect(Math.max(...left)).toBeLessThan(20)
  })

  test('and is the only one that lives answers at once', async () => {
    const shared = fresh()
    const tags = ['alone']
    await using worker = await workHere(url(), shared, { tags })
    const { events } = await benchHere(asked(shared, 'alone'), here)
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event.kind] : []))
    expect(new Set(ends)).toEqual(new Set(['missing_binary']))
    expect(told(worker, 'job_left')).toEqual([])
  })
})

needsRedis('an account that is empty', () => {
  const url = redisHere()

  test('is no lack of a worker, as all have its key: the benchmark stops at once', async () => {
    const shared = fresh()
    await using server = await emptyAccount()
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'shared' }
    const engines = ['openai']
    await using one = await workHere(url(), shared, { engines, env })
    await using two = await workHere(url(), shared, { engines, env })
    const { events } = await benchHere(askedOf({ engine: 'openai:m' }, ['one', 'two'], { url: url(), shared }), { env })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event.kind] : []))
    expect(new Set(ends)).toEqual(new Set(['credentials']))
    expect([one, two].flatMap(({ told }) => told).filter(({ type }) => type === 'job_left')).toEqual([])
  })
})

needsRedis('what a worker lacks', () => {
  const url = redisHere()

  test.each([
    ['another has it', [], [], true],
    ['another lacks something else', ['other'], [], true],
    ['another said lately that it lacks it too', ['it'], [], false],
    ['another was unfit for this very job', [], ['two'], false],
    ['it was left before, and those that have it are busy', [], Array(12).fill('one'), true],
  ])(
    '%s',
    async (_when, lacks, unfit, isLeft) => {
      await using transport = await openTransport(parseQueueAddress(url()))
      const at = new Date().toISOString()
      const two: WorkerNote = {
        ...{ kind: 'worker', worker: 'two', host: 'h', pid: 1, version: '1', engines: ['command'], tags: [] },
        ...{ queues: ['runs-0'], lacks, places: 1, busy: 1, done: 0, failed: 0, refusals: 0, started_at: at, at },
      }
      await transport.post({ id: 'two', value: two })
      const notes: unknown[] = []
      const job = { noted: { unfit }, note: async (value: object) => void notes.push(value) }
      const workers = new LiveNotes<WorkerNote>('worker')
      const board = { transport, living: (all: readonly QueueNote[]) => workers.look(all).kept }
      expect(await canAnotherWorkerRun(job, { worker: 'one', queue: 'runs-0', asked: 'it' }, board)).toBe(isLeft)
      expect(notes).toEqual(isLeft ? [{ shortages: 0, unfit: ['one'] }] : [])
    },
    30_000,
  )
})

needsRedis('a job that has failed', () => {
  const url = redisHere()

  test.each([
    ['for a shortage', (job: TakenJob) => resolveShortage(job, new Error('full'), 1)],
    ['for anything else', (job: TakenJob) => forgetUnfitWorkers(job).then(() => new Error('broken'))],
  ])(
    '%s and is put back knows nothing of who was unfit for it',
    async (_why, failed) => {
      await using transport = await openTransport(parseQueueAddress(url()))
      const noted: unknown[] = []
      const handle = async (job: TakenJob) => {
        noted.push(job.noted)
        if (noted.length === 1) {
          await job.note({ shortages: 0, unfit: ['one', 'two'] })
          throw new ReleaseJob('left to another worker')
        }
        if (noted.length === 2) throw await failed(job)
        return null
      }
      const queue = `runs-${_why.replaceAll(' ', '-')}`
      await transport.submit(queue, { id: 'job', data: {} })
      await using _working = await transport.work(queue, { atOnce: 1, handle, onTrouble: () => {} })
      await expect.poll(async () => (await transport.counts(queue)).failed).toBe(1)
      expect(noted[1]).toMatchObject({ unfit: ['one', 'two'] })
      await transport.retry(queue)
      await expect.poll(() => noted).toHaveLength(3)
      expect(noted[2]).toEqual({ shortages: 0, unfit: [] })
    },
    60_000,
  )
})
