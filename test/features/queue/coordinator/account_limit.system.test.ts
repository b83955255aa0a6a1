/** The limit of an account on its queues, with several coordinators, one that ends, one that is silent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Account } from '../../../../src/engines/limits/rate_limiter.ts'
import { shareLimit } from '../../../../src/features/queue/coordinator/account_limit.ts'
import type { LimitNote } from '../../../../src/features/queue/liveness.ts'
import { readQueueNotes } from '../../../../src/features/queue/queue_status.ts'
import { openTransport } from '../../../../src/features/queue/server/open.ts'
import type { Transport } from '../../../../src/features/queue/server/transport.ts'
import { redisHere } from '../here.ts'
import { parseQueueAddress } from '../server/queue_address.ts'
import { needsRedis } from '../server/servers.ts'

const never = new AbortController().signal

/** One on which a refusal has left so many places. */
async function refusedAt(start: number): Promise<Account> {
  const account = new Account({ start, cut: 0.5, baseMs: 0 })
  const slots = await Promise.all(Array.from({ length: start }, () => account.enter(never)))
  for (const slot of slots) account.end(slot, { as: 'refused', retryAfterMs: null })
  return account
}

/** Its limit is cut by half once more. */
async function refuse(account: Account): Promise<void> {
  const slots = await Promise.all(Array.from({ length: account.limit }, () => account.enter(never)))
  for (const slot of slots) account.end(slot, { as: 'refused', retryAfterMs: null })
}

const limitNotes = async (transport: Transport) =>
  (await readQueueNotes(transport)).filter((note): note is LimitNote => note.kind === 'limit')

needsRedis("an account's limit", () => {
  const url = redisHere()
  const slow = { everyMs: 60_000, staleMs: 600_000 }
  const share = (account: Account, transport: Transport, benchmark: string, more: Partial<typeof shared> = {}) =>
    shareLimit(account, { ...shared, ...more, transport, benchmark }, slow)
  const shared = { queue: 'runs-0', account: 'key' as string | null }

  test('is the least of those that live, on each queue of the account and on no other; none where none was refused', async () => {
    await using one = await openTransport(parseQueueAddress(url()))
    await using two = await openTransport(parseQueueAddress(url()))
    const at = new Date().toISOString()
    const needs = { engine: 'anthropic', account: 'key', base_url: null, tags: [] }
    for (const [queue, account] of [
      ['runs-0', 'key'],
      ['runs-1', 'key'],
      ['runs-2', 'other'],
    ] as const) {
      await one.post({ id: queue, value: { kind: 'queue', queue, needs: { ...needs, account }, at } })
    }
    const limits = async () =>
      await Promise.all(['runs-0', 'runs-1', 'runs-2'].map(async (queue) => (await one.counts(queue)).limit))
    const untried = await share(new Account(), one, 'untried')
    expect(await limits()).toEqual([null, null, null])
    const few = await refusedAt(8)
    const first = await share(few, one, 'few')
    expect(await limits()).toEqual([4, 4, null])
    const many = await refusedAt(40)
    const second = await share(many, two, 'many', { queue: 'runs-1' })
    expect(await limits()).toEqual([4, 4, null])
    await refuse(few) // told at once, though the next beat is far off
    await expect.poll(limits).toEqual([2, 2, null])
    await first.close()
    expect(await limits()).toEqual([20, 20, null])
    await refuse(few) // its coordinator has ended
    await sleep(100)
    expect(await limits()).toEqual([20, 20, null])
    const third = await share(await refusedAt(2), two, 'unknown', { queue: 'runs-2', account: null })
    expect(await limits()).toEqual([20, 20, 1]) // of nobody knows whom
    await third.close()
    await untried.close()
    expect(await limits()).toEqual([20, 20, null])
    await second.close()
    expect(await limits()).toEqual([null, null, null])
    expect(await limitNotes(one)).toEqual([])
    for (const id of ['runs-0', 'runs-1', 'runs-2']) await one.takeDown(id)
  })
})
