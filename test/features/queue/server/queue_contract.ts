/** The contract of a queue: once, in one pair of hands, never lost, whatever fails. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IncompleteError } from '../../../../src/base/errors/error.ts'
import { openTransport } from '../../../../src/features/queue/server/open.ts'
import {
  type QueueTiming,
  ReleaseJob,
  type TakenJob,
  type Transport,
} from '../../../../src/features/queue/server/transport.ts'
import { parseQueueAddress } from './queue_address.ts'
import type { QueueServer } from './servers.ts'

export const timing: QueueTiming = { lockMs: 1500, stalledMs: 500, maxStalled: 2 }
const never = new AbortController().signal
let unique = 0

/** A server for this block of tests, and two clients of it. */
function openQueue(start: () => Promise<QueueServer>) {
  const at: { server?: QueueServer; here?: Transport; there?: Transport } = {}
  const of = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('not started')
    return one
  }
  beforeAll(async () => {
    at.server = await start()
    at.here = await openTransport(parseQueueAddress(at.server.url), timing)
    at.there = await openTransport(parseQueueAddress(at.server.url), timing)
  })
  afterAll(async () => {
    await at.here?.[Symbol.asyncDispose]()
    await at.there?.[Symbol.asyncDispose]()
    await at.server?.[Symbol.asyncDispose]()
  })
  const queue = () => {
    unique += 1
    return `q-${process.pid}-${unique}`
  }
  const work = (name: string, handle: (job: TakenJob) => Promise<unknown>, atOnce = 2) =>
    of(at.there).work(name, { atOnce, handle, onTrouble: () => {} })
  /** A worker as a process of its own that never ends a job, and what it says. */
  const zombie = (name: string, ...more: string[]) => {
    const script = path.join(import.meta.dirname, 'zombie.mjs')
    const [own = JSON.stringify(timing), ...others] = more
    const child = spawn(process.execPath, [script, of(at.server).url, name, own, ...others])
    const said = createInterface(child.stdout)[Symbol.asyncIterator]()
    return { child, next: async () => (await said.next()).value }
  }
  return { server: () => of(at.server), here: () => of(at.here), there: () => of(at.there), queue, work, zombie }
}

export function queueContract(start: () => Promise<QueueServer>): void {
  const { here, there, queue, work } = openQueue(start)

  test('submitting twice is once, also after its end, and who asks later gets its small result too', async () => {
    const name = queue()
    let times = 0
    await using _working = await work(name, async ({ data }) => {
      times += 1
      return { times, data }
    })
    const job = { id: 'a', data: { n: 1 } }
    for (let n = 0; n < 3; n += 1) await here().submit(name, job)
    await here().wait(name, 'a', never)
    await there().submit(name, job)
    expect(await there().wait(name, 'a', never)).toEqual({ as: 'done', value: { times: 1, data: { n: 1 } } })
    expect(times).toBe(1)
  })

  test('what a worker throws is the reason of a failed job; retry puts it back', async () => {
    const name = queue()
    let times = 0
    await using _working = await work(name, async () => {
      times += 1
      if (times === 1) throw new Error('no inputs')
      return 'well'
    })
    await here().submit(name, { id: 'a', data: {} })
    expect(await here().wait(name, 'a', never)).toEqual({ as: 'failed', reason: 'no inputs' })
    expect(await there().ended(name)).toEqual([{ id: 'a', data: {} }])
    expect(await here().retry(name)).toBe(1)
    expect(await here().wait(name, 'a', never)).toEqual({ as: 'done', value: 'well' })
  })

  test('what is given back is done by another, and counts as no failure', async () => {
    const name = queue()
    let times = 0
    await using _working = await work(name, async ({ starts }) => {
      times += 1
      if (times === 1) throw new ReleaseJob('not here')
      return starts
    })
    await here().submit(name, { id: 'a', data: {} })
    expect(await here().wait(name, 'a', never)).toEqual({ as: 'done', value: 2 })
  })

  test('what is noted with a job is there for whoever has it next, and for no other', async () => {
    const name = queue()
    const seen: unknown[] = []
    await using _working = await work(name, async ({ id, noted, note }) => {
      if (id === 'b') return noted
      seen.push(noted)
      if (seen.length === 4) return 'done'
      await note({ times: seen.length, by: ['w'] })
      throw new ReleaseJob('not here')
    })
    await here().submit(name, { id: 'a', data: {} })
    expect(await here().wait(name, 'a', never)).toEqual({ as: 'done', value: 'done' })
    expect(seen.slice(1)).toEqual([1, 2, 3].map((times) => ({ times, by: ['w'] })))
    await here().submit(name, { id: 'b', data: {} })
    expect(await here().wait(name, 'b', never)).toEqual({ as: 'done', value: seen[0] })
  })

  test('what waits is taken away, what is in hand stays; who waits hears that it is gone', async () => {
    const name = queue()
    await here().submit(name, { id: 'a', data: {} })
    const gone = here().wait(name, 'a', never)
    expect(await there().remove(name, ['a'])).toEqual([])
    expect(await gone).toEqual({ as: 'gone' })
    const busy = new AbortController()
    await using _working = await work(name, async () => {
      await sleep(60_000, undefined, { signal: busy.signal }).catch(() => {})
    })
    await here().submit(name, { id: 'b', data: {} })
    while ((await here().counts(name)).active === 0) await sleep(20)
    expect(await here().remove(name, ['b'])).toEqual(['b'])
    busy.abort()
    expect((await here().wait(name, 'b', never)).as).toBe('done')
  })

  test('drained, nothing is taken; the limit holds over all workers', async () => {
    const name = queue()
    let most = 0
    let busy = 0
    const handle = async () => {
      busy += 1
      most = Math.max(most, busy)
      await sleep(80)
      busy -= 1
    }
    await here().limit(name, 2)
    await here().drain(name, true)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await here().submit(name, { id, data: {} })
    await using _one = await work(name, handle, 4)
    await using _two = await here().work(name, { atOnce: 4, handle, onTrouble: () => {} })
    await sleep(400)
    expect(await here().counts(name)).toMatchObject({ waiting: 6, active: 0, isDrained: true, limit: 2 })
    await here().drain(name, false)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await here().wait(name, id, never)
    expect(most).toBe(2)
  })

  test('notes hang there for all, until they are taken down', async () => {
    await here().post({ id: 'n', value: { one: 1 } })
    await here().post({ id: 'n', value: { one: 2 } })
    expect(await there().notes()).toContainEqual({ id: 'n', value: { one: 2 } })
    await there().takeDown('n')
    expect((await here().notes()).filter(({ id }) => id === 'n')).toEqual([])
  })
}

/** What fails, and how long that takes: for the tests of every night. */
export function queueFailureContract(start: () => Promise<QueueServer>): void {
  const { server, here, there, queue, work, zombie } = openQueue(start)

  test('a worker that was frozen is told that its lock is lost; its late result is refused, the other stands', async () => {
    const name = queue()
    const { child, next } = zombie(name)
    try {
      await here().submit(name, { id: 'a', data: {} })
      expect(await next()).toBe('began')
      child.kill('SIGSTOP')
      await using _working = await work(name, async () => 'second')
      expect(await here().wait(name, 'a', never)).toEqual({ as: 'done', value: 'second' })
      child.kill('SIGCONT')
      expect(await next()).toBe('told: LostJob')
      await sleep(300)
      expect(await there().wait(name, 'a', never)).toEqual({ as: 'done', value: 'second' })
    } finally {
      child.kill('SIGKILL')
    }
  })

  test('a worker whose clock is an hour ahead takes nobody for lost; when it dies, its job does not wait an hour', async () => {
    const name = queue()
    const short: QueueTiming = { lockMs: 1500, stalledMs: 200, maxStalled: 2 }
    await using honest = await openTransport(parseQueueAddress(server().url), short)
    const starts: string[] = []
    const done = new AbortController()
    const handle = async ({ id, signal }: TakenJob) => {
      starts.push(id)
      if (id === 'a') await once(AbortSignal.any([done.signal, signal]), 'abort')
      return id
    }
    await using working = await honest.work(name, { atOnce: 1, handle, onTrouble: () => {} })
    await here().submit(name, { id: 'a', data: {} })
    await expect.poll(() => starts).toEqual(['a'])
    const { child, next } = zombie(name, JSON.stringify(short), '3600000')
    await here().submit(name, { id: 'b', data: {} })
    expect(await next()).toBe('began')
    await sleep(5 * short.stalledMs) // it looks for lost jobs meanwhile, and needs two looks to take one
    child.kill('SIGKILL')
    await once(child, 'exit')
    done.abort()
    expect(await here().wait(name, 'a', never)).toEqual({ as: 'done', value: 'a' })
    expect(await here().wait(name, 'b', never)).toEqual({ as: 'done', value: 'b' })
    expect(starts).toEqual(['a', 'b'])
    working.pause()
  })

  test('a job whose workers all die has failed after so many, and stops no other', async () => {
    const name = queue()
    await here().submit(name, { id: 'poison', data: {} })
    for (let deaths = 0; deaths <= timing.maxStalled; deaths += 1) {
      const { child, next } = zombie(name)
      expect(await next()).toBe('began')
      child.kill('SIGKILL')
    }
    await using _working = await work(name, async () => 'well')
    const end = await here().wait(name, 'poison', never)
    expect(end).toMatchObject({ as: 'failed', reason: expect.stringContaining('stalled') })
    await here().submit(name, { id: 'other', data: {} })
    expect(await here().wait(name, 'other', never)).toEqual({ as: 'done', value: 'well' })
  })

  test('a crash of the server loses nothing: what was submitted is done after it', async () => {
    const name = queue()
    await using _working = await work(name, async ({ id }) => {
      await sleep(100)
      return id
    })
    const ids = Array.from({ length: 20 }, (_, n) => `job-${n}`)
    for (const id of ids) await here().submit(name, { id, data: {} })
    await sleep(1100) // Redis writes to disk every second
    const ends = Promise.all(ids.map((id) => here().wait(name, id, never)))
    await server().kill()
    await sleep(300)
    await server().start()
    expect((await ends).map((end) => end.as === 'done' && end.value)).toEqual(ids)
  })

  test('what is asked of a server that is away is done when it is back, as often as that happens', async () => {
    const name = queue()
    await using _working = await work(name, async ({ id }) => id)
    for (const id of ['first', 'second']) {
      await server().kill()
      const asked = [
        here().submit(name, { id, data: {} }),
        here().post({ id: `note-${id}`, value: { id } }),
        here().limit(name, 3),
        here().drain(queue(), false), // of its own queue it would take the job away
        here().counts(name),
        here().remove(name, ['nobody']),
        here().open(name),
        here().ended(name),
      ]
      const end = here().wait(name, id, never)
      await sleep(100)
      await server().start()
      await Promise.all(asked)
      expect(await end).toEqual({ as: 'done', value: id })
      expect(await there().notes()).toContainEqual({ id: `note-${id}`, value: { id } })
      await there().takeDown(`note-${id}`)
    }
  })

  test('a server that is away at the start is waited for, which is told once; in vain, or until nobody waits any more', async () => {
    const address = parseQueueAddress(server().url)
    const told: string[] = []
    const patience = (signal: AbortSignal) => ({ waitMs: 60_000, waits: (why: string) => void told.push(why), signal })
    await server().kill()
    await expect(openTransport(address, timing)).rejects.toThrow(IncompleteError)
    const leaves = new AbortController()
    const left = openTransport(address, timing, patience(leaves.signal))
    const waits = openTransport(address, timing, patience(never))
    left.catch(() => {}) // looked at below
    await expect.poll(() => told).toEqual(Array(2).fill(expect.stringMatching('ECONNREFUSED')))
    leaves.abort(new Error('Ctrl-C'))
    await expect(left).rejects.toThrow('Ctrl-C')
    await server().start()
    await using transport = await waits
    expect(await transport.counts(queue())).toMatchObject({ waiting: 0 })
    expect(told).toHaveLength(2)
  })
}
