/** The contract of a queue on Redis, and a Redis that refuses what it is asked. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { UserError } from '../../../../src/base/errors/error.ts'
import { openTransport } from '../../../../src/features/queue/server/open.ts'
import { parseQueueAddress } from './queue_address.ts'
import { queueContract, timing } from './queue_contract.ts'
import { needsRedis, startRedis } from './servers.ts'

needsRedis('a queue on Redis', () => queueContract(startRedis))

needsRedis('a Redis that refuses', () => {
  test('for want of memory is waited for; for want of rights it is said, and is no bug', async () => {
    await using server = await startRedis()
    await using here = await openTransport(parseQueueAddress(server.url), timing)
    const admin = new Redis({ port: server.port, host: '127.0.0.1' })
    onTestFinished(() => admin.disconnect())
    await here.counts('q')
    await admin.call('config', 'set', 'maxmemory', '1')
    await expect(admin.call('set', 'control', '1')).rejects.toThrow(/^OOM/)
    const submitted = here.submit('q', { id: 'a', data: {} })
    expect(await Promise.race([submitted, sleep(200, 'waits')])).toBe('waits')
    await admin.call('config', 'set', 'maxmemory', '0')
    await submitted
    expect(await here.counts('q')).toMatchObject({ waiting: 1 })
    await admin.call('acl', 'setuser', 'default', 'resetkeys', '~other:*')
    await expect(here.submit('q', { id: 'b', data: {} })).rejects.toThrow(UserError)
  })
})
