/** Queues whose workers, clocks and servers fail, and the whole contract on PostgreSQL. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openTransport } from '../../../../src/features/queue/server/open.ts'
import { parseQueueAddress } from './queue_address.ts'
import { queueContract, queueFailureContract, timing } from './queue_contract.ts'
import { needsPostgres, needsRedis, startPostgres, startRedis } from './servers.ts'

const never = new AbortController().signal

needsRedis('a queue on Redis', () => queueFailureContract(startRedis))
needsPostgres('a queue on PostgreSQL', () => queueContract(startPostgres))
needsPostgres('a queue on PostgreSQL where something fails', () => queueFailureContract(startPostgres))
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
      await expect.poll(() => between.sent()).toBeGreaterThan(5)
      between.stop()
      await asked
      expect(await there.wait('q', 'a', never)).toEqual({ as: 'done', value: 'a' })
      expect(uncaught).toEqual([])
    } finally {
      process.off('uncaughtException', hear)
    }
  })
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
