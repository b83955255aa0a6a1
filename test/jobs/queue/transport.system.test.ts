/** The contract of a queue, on Redis and on PostgreSQL: once, in one pair of hands, never lost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IncompleteError, UserError } from '../../../src/base/errors/error.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { type QueueTiming, ReleaseJob, type TakenJob, type Transport } from '../../../src/jobs/queue/transport.ts'
import { needsPostgres, needsRedis, type QueueServer, startPostgres, startRedis } from './servers.ts'

const timing: QueueTiming = { lockMs: 1500, stalledMs: 500, maxStalled: 2 }
/** Another client of a Redis server. */
function administrator(port: number) {
  const client = new Redis({ port, host: '127.0.0.1' })
  return {
    ask: (command: string, ...args: string[]) => client.call(command, ...args),
    [Symbol.asyncDispose]: async () => client.disconnect(),
  }
}

const never = new AbortController().signal
let unique = 0

function contract(start: () => Promise<QueueServer>): void {
  const at: { server?: QueueServer; here?: Transport; there?: Transport } = {}
  const of = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('not started')
    return one
  }
  beforeAll(async () => {
    at.server = await start()
    at.here = await openTransport(parseQueueAddress(at.server.url), timing)
    at.there = await openTransport(parseQueueAddress(at.server.url), timing)
  }, 60_000)
  afterAll(async () => {
    await at.here?.[Symbol.asyncDispose]()
    await at.there?.[Symbol.asyncDispose]()
    await at.server?.[Symbol.asyncDispose]()
  }, 30_000)
  const queue = () => {
    unique += 1
    return `q-${process.pid}-${unique}`
  }
  const work = (name: string, handle: (job: TakenJob) => Promise<unknown>, atOnce = 2) =>
    of(at.there).work(name, { atOnce, handle, onTrouble: () => {} })

  test('what is submitted is done, and its small result comes back', async () => {
    const name = queue()
    await using _working = await work(name, async ({ data }) => ({ got: data }))
    await of(at.here).submit(name, { id: 'a', data: { n: 1 } })
    expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'done', value: { got: { n: 1 } } })
  })

  test('submitting twice is once, also after its end, and who asks later hears of it too', async () => {
    const name = queue()
    let times = 0
    await using _working = await work(name, async () => {
      times += 1
      return times
    })
    for (let n = 0; n < 3; n += 1) await of(at.here).submit(name, { id: 'a', data: {} })
    await of(at.here).wait(name, 'a', never)
    await of(at.there).submit(name, { id: 'a', data: {} })
    expect(await of(at.there).wait(name, 'a', never)).toEqual({ as: 'done', value: 1 })
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
    await of(at.here).submit(name, { id: 'a', data: {} })
    expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'failed', reason: 'no inputs' })
    expect(await of(at.there).ended(name)).toEqual([{ id: 'a', data: {} }])
    expect(await of(at.here).retry(name)).toBe(1)
    expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'done', value: 'well' })
  })

  test('what is given back is done by another, and counts as no failure', async () => {
    const name = queue()
    let times = 0
    await using _working = await work(name, async ({ starts }) => {
      times += 1
      if (times === 1) throw new ReleaseJob('not here')
      return starts
    })
    await of(at.here).submit(name, { id: 'a', data: {} })
    expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'done', value: 2 })
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
    await of(at.here).submit(name, { id: 'a', data: {} })
    expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'done', value: 'done' })
    expect(seen.slice(1)).toEqual([1, 2, 3].map((times) => ({ times, by: ['w'] })))
    await of(at.here).submit(name, { id: 'b', data: {} })
    expect(await of(at.here).wait(name, 'b', never)).toEqual({ as: 'done', value: seen[0] })
  })

  test('what waits is taken away, what is in hand stays; who waits hears that it is gone', async () => {
    const name = queue()
    await of(at.here).submit(name, { id: 'a', data: {} })
    const gone = of(at.here).wait(name, 'a', never)
    expect(await of(at.there).remove(name, ['a'])).toEqual([])
    expect(await gone).toEqual({ as: 'gone' })
    const busy = new AbortController()
    await using _working = await work(name, async () => {
      await sleep(60_000, undefined, { signal: busy.signal }).catch(() => {})
    })
    await of(at.here).submit(name, { id: 'b', data: {} })
    while ((await of(at.here).counts(name)).active === 0) await sleep(20)
    expect(await of(at.here).remove(name, ['b'])).toEqual(['b'])
    busy.abort()
    expect((await of(at.here).wait(name, 'b', never)).as).toBe('done')
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
    await of(at.here).limit(name, 2)
    await of(at.here).drain(name, true)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await of(at.here).submit(name, { id, data: {} })
    await using _one = await work(name, handle, 4)
    await using _two = await of(at.here).work(name, { atOnce: 4, handle, onTrouble: () => {} })
    await sleep(400)
    expect(await of(at.here).counts(name)).toMatchObject({ waiting: 6, active: 0, isDrained: true, limit: 2 })
    await of(at.here).drain(name, false)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await of(at.here).wait(name, id, never)
    expect(most).toBe(2)
  })

  test('a worker that was frozen is told at once that its lock is lost; its late result is refused, the other stands', async () => {
    const name = queue()
    const zombie = path.join(import.meta.dirname, '../../fixtures/queue/zombie.mjs')
    const child = spawn(process.execPath, [zombie, of(at.server).url, name, JSON.stringify(timing)])
    const said = createInterface(child.stdout)[Symbol.asyncIterator]()
    try {
      await of(at.here).submit(name, { id: 'a', data: {} })
      expect((await said.next()).value).toBe('began')
      child.kill('SIGSTOP')
      await using _working = await work(name, async () => 'second')
      expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'done', value: 'second' })
      child.kill('SIGCONT')
      const thawed = Date.now()
      expect((await said.next()).value).toBe('told: LostJob')
      expect(Date.now() - thawed).toBeLessThan(timing.lockMs)
      await sleep(300)
      expect(await of(at.there).wait(name, 'a', never)).toEqual({ as: 'done', value: 'second' })
    } finally {
      child.kill('SIGKILL')
    }
  }, 30_000)

  test('a worker whose clock is an hour ahead takes nobody for lost; when it dies, its job does not wait an hour', async () => {
    const name = queue()
    const short: QueueTiming = { lockMs: 1500, stalledMs: 200, maxStalled: 2 }
    await using honest = await openTransport(parseQueueAddress(of(at.server).url), short)
    const starts: string[] = []
    const done = new AbortController()
    const handle = async ({ id, signal }: TakenJob) => {
      starts.push(id)
      if (id === 'a') await once(AbortSignal.any([done.signal, signal]), 'abort')
      return id
    }
    await using working = await honest.work(name, { atOnce: 1, handle, onTrouble: () => {} })
    await of(at.here).submit(name, { id: 'a', data: {} })
    await expect.poll(() => starts).toEqual(['a'])
    const zombie = path.join(import.meta.dirname, '../../fixtures/queue/zombie.mjs')
    const child = spawn(process.execPath, [zombie, of(at.server).url, name, JSON.stringify(short), '3600000'])
    const said = createInterface(child.stdout)[Symbol.asyncIterator]()
    await of(at.here).submit(name, { id: 'b', data: {} })
    expect((await said.next()).value).toBe('began')
    await sleep(5 * short.stalledMs) // it looks for lost jobs meanwhile, and needs two looks to take one
    child.kill('SIGKILL')
    await once(child, 'exit')
    done.abort()
    expect(await of(at.here).wait(name, 'a', never)).toEqual({ as: 'done', value: 'a' })
    expect(await of(at.here).wait(name, 'b', never)).toEqual({ as: 'done', value: 'b' })
    expect(starts).toEqual(['a', 'b'])
    working.pause()
  }, 20_000)

  test('a job whose workers all die has failed after so many, and stops no other', async () => {
    const name = queue()
    const zombie = path.join(import.meta.dirname, '../../fixtures/queue/zombie.mjs')
    await of(at.here).submit(name, { id: 'poison', data: {} })
    for (let deaths = 0; deaths <= timing.maxStalled; deaths += 1) {
      const child = spawn(process.execPath, [zombie, of(at.server).url, name, JSON.stringify(timing)])
      const said = createInterface(child.stdout)[Symbol.asyncIterator]()
      expect((await said.next()).value).toBe('began')
      child.kill('SIGKILL')
    }
    await using _working = await work(name, async () => 'well')
    const end = await of(at.here).wait(name, 'poison', never)
    expect(end).toMatchObject({ as: 'failed', reason: expect.stringContaining('stalled') })
    await of(at.here).submit(name, { id: 'other', data: {} })
    expect(await of(at.here).wait(name, 'other', never)).toEqual({ as: 'done', value: 'well' })
  }, 60_000)

  test('a crash of the server loses nothing: what was submitted is done after it', async () => {
    const name = queue()
    await using _working = await work(name, async ({ id }) => {
      await sleep(100)
      return id
    })
    const ids = Array.from({ length: 20 }, (_, n) => `job-${n}`)
    for (const id of ids) await of(at.here).submit(name, { id, data: {} })
    await sleep(1100) // Redis writes to disk every second
    const ends = Promise.all(ids.map((id) => of(at.here).wait(name, id, never)))
    await of(at.server).kill()
    await sleep(300)
    await of(at.server).start()
    expect((await ends).map((end) => end.as === 'done' && end.value)).toEqual(ids)
  }, 60_000)

  test('what is asked of a server that is away is done when it is back, as often as that happens', async () => {
    const name = queue()
    await using _working = await work(name, async ({ id }) => id)
    for (const id of ['first', 'second']) {
      await of(at.server).kill()
      const asked = [
        of(at.here).submit(name, { id, data: {} }),
        of(at.here).post({ id: `note-${id}`, value: { id } }),
        of(at.here).limit(name, 3),
        of(at.here).drain(queue(), false), // of its own queue it would take the job away
        of(at.here).counts(name),
        of(at.here).remove(name, ['nobody']),
        of(at.here).open(name),
        of(at.here).ended(name),
      ]
      const end = of(at.here).wait(name, id, never)
      await sleep(100)
      await of(at.server).start()
      await Promise.all(asked)
      expect(await end).toEqual({ as: 'done', value: id })
      expect(await of(at.there).notes()).toContainEqual({ id: `note-${id}`, value: { id } })
      await of(at.there).takeDown(`note-${id}`)
    }
  }, 60_000)

  test('a server that is away at the start is waited for, which is told once; in vain, or until nobody waits any more', async () => {
    const address = parseQueueAddress(of(at.server).url)
    const told: string[] = []
    const patience = (signal: AbortSignal) => ({ waitMs: 60_000, waits: (why: string) => void told.push(why), signal })
    await of(at.server).kill()
    await expect(openTransport(address, timing)).rejects.toThrow(IncompleteError)
    const leaves = new AbortController()
    const left = openTransport(address, timing, patience(leaves.signal))
    const waits = openTransport(address, timing, patience(never))
    left.catch(() => {}) // looked at below
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(Array(2).fill(expect.stringMatching('ECONNREFUSED')))
    leaves.abort(new Error('Ctrl-C'))
    await expect(left).rejects.toThrow('Ctrl-C')
    await of(at.server).start()
    await using transport = await waits
    expect(await transport.counts(queue())).toMatchObject({ waiting: 0 })
    expect(told).toHaveLength(2)
  }, 60_000)

  test('notes hang there for all, until they are taken down', async () => {
    await of(at.here).post({ id: 'n', value: { one: 1 } })
    await of(at.here).post({ id: 'n', value: { one: 2 } })
    expect(await of(at.there).notes()).toContainEqual({ id: 'n', value: { one: 2 } })
    await of(at.there).takeDown('n')
    expect((await of(at.here).notes()).filter(({ id }) => id === 'n')).toEqual([])
  })
}

needsRedis('a queue on Redis', () => contract(startRedis))
needsRedis('a Redis that refuses', () => {
  test('for want of memory is waited for; for want of rights it is said, and is no bug', async () => {
    await using server = await startRedis()
    await using here = await openTransport(parseQueueAddress(server.url), timing)
    await using admin = administrator(server.port)
    await here.counts('q')
    await admin.ask('config', 'set', 'maxmemory', '1')
    await expect(admin.ask('set', 'control', '1')).rejects.toThrow(/^OOM/)
    const submitted = here.submit('q', { id: 'a', data: {} })
    expect(await Promise.race([submitted, sleep(200, 'waits')])).toBe('waits')
    await admin.ask('config', 'set', 'maxmemory', '0')
    await submitted
    expect(await here.counts('q')).toMatchObject({ waiting: 1 })
    await admin.ask('acl', 'setuser', 'default', 'resetkeys', '~other:*')
    await expect(here.submit('q', { id: 'b', data: {} })).rejects.toThrow(UserError)
  }, 30_000)
})
needsPostgres('a queue on PostgreSQL', () => contract(startPostgres))
needsPostgres('a PostgreSQL that goes down at the very moment at which it has let somebody in', () => {
  test('ends nobody: what is asked waits until it is back, and workers hear of new jobs again', async () => {
    await using server = await startPostgres()
    await using between = await goesDownAtOnce(server.port)
    const address = parseQueueAddress(server.url.replace(`:${server.port}`, `:${between.port}`))
    const uncaught: unknown[] = []
    const hear = (error: unknown) => void uncaught.push(error)
    process.on('uncaughtException', hear)
    try {
      await using there = await openTransport(address, timing)
      await using _working = await there.work('q', {
        atOnce: 1,
        handle: async ({ id }) => id,
        onTrouble: () => {},
      })
      between.start()
      const asked = there.submit('q', { id: 'a', data: {} })
      await expect.poll(() => between.sent(), { timeout: 20_000 }).toBeGreaterThan(5)
      between.stop()
      await asked
      expect(await there.wait('q', 'a', never)).toEqual({ as: 'done', value: 'a' })
      expect(uncaught).toEqual([])
    } finally {
      process.off('uncaughtException', hear)
    }
  }, 60_000)
})

/** What the server says last when it has let somebody in, and what it says when it is killed. */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1')
const fields = 'SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'
const goesDown = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`, 'latin1')

/** A way to a server of PostgreSQL: between `start` and `stop` each connection hears in one packet that it is in and that all is over. */
async function goesDownAtOnce(port: number) {
  const state = { down: false, sent: 0 }
  const open = new Set<Socket>()
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    near.pipe(far)
    far.on('data', (said) => {
      if (!state.down || !said.subarray(-ready.length).equals(ready)) return near.write(said)
      state.sent += 1
      return near.end(Buffer.concat([said, goesDown]))
    })
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  const there = way.address()
  return {
    port: typeof there === 'object' && there !== null ? there.port : 0,
    sent: () => state.sent,
    start() {
      state.down = true
      for (const one of open) one.destroy()
    },
    stop() {
      state.down = false
    },
    async [Symbol.asyncDispose]() {
      for (const one of open) one.destroy()
      way.close()
    },
  }
}
