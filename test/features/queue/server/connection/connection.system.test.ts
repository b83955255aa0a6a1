/** A real Redis with encryption and passwords: who is meant gets in, who is not stays out, and a false server is not believed. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { redisConnection } from '../../../../../src/features/queue/server/address.ts'
import { needsRedis, type QueueServer, startRedis } from '../servers.ts'
import { at, certificates, foreign, misnamed, refusal, secret } from './secured_servers.ts'

needsRedis('redis', () => {
  const acl = ['user default off', `user whetstone on >${secret} ~whetstone:* &* +@all`]
  let server: QueueServer
  let plain: QueueServer
  let other: QueueServer
  beforeAll(async () => {
    server = await startRedis({ tls: certificates, acl })
    plain = await startRedis({ acl })
    other = await startRedis({ tls: misnamed, acl })
  })
  afterAll(async () => {
    for (const one of [server, plain, other]) await one[Symbol.asyncDispose]()
  })
  const ask = async (address: ReturnType<typeof at>, key = 'whetstone:x') => {
    const client = new Redis({
      ...redisConnection(address),
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    })
    const said: string[] = []
    client.on('error', (error) => said.push(error.message))
    try {
      await client.set(key, 'here')
      return await client.get(key)
    } catch (error) {
      throw new Error([...said, error instanceof Error ? error.message : ''].join('; '))
    } finally {
      client.disconnect()
    }
  }
  test('with the right authority, user and password it answers', async () => {
    expect(await ask(at(server, { ca: certificates.ca }))).toBe('here')
    expect(await ask(at(plain, {}))).toBe('here')
  })
  test('a wrong password, a wrong user, a key that is not ours are refused', async () => {
    await expect(ask(at(server, { ca: certificates.ca, password: 'wrong' }))).rejects.toThrow('WRONGPASS')
    await expect(ask(at(server, { ca: certificates.ca, user: 'default' }))).rejects.toThrow('WRONGPASS')
    await expect(ask(at(server, { ca: certificates.ca }), 'others:x')).rejects.toThrow('NOPERM')
  })
  test('a server that the authority does not vouch for is not spoken to', async () => {
    await expect(ask(at(server, { ca: foreign.ca }))).rejects.toThrow(/certificate|self-signed/)
    await expect(ask(at(server, {}))).rejects.toThrow(/certificate|self-signed/)
    await expect(ask(at(other, { ca: misnamed.ca }))).rejects.toThrow(/does not match|altname/i)
  })
  test('who is refused at the start is told at once, with what to do: the authority, the name, the password', async () => {
    const authority = /certificate.*\n.*authority.*--queue-ca or WHETSTONE_QUEUE_CA/
    for (const ca of [undefined, foreign.ca])
      expect(await refusal(at(server, { ...(ca && { ca }) }))).toMatch(authority)
    expect(await refusal(at(other, { ca: misnamed.ca }))).toMatch(/altnames.*\n.*host name in its certificate/)
    expect(await refusal(at(plain, { password: 'wrong' }))).toMatch(/WRONGPASS.*\n.*WHETSTONE_QUEUE_USER.*PASSWORD/)
    const none = { ...at(plain, {}), user: null, password: null }
    expect(await refusal(none)).toMatch(
      /: the server requires a password\n.*--queue-password-file or WHETSTONE_QUEUE_PASSWORD/,
    )
  })
  test('control: with the checks off, those same servers are believed', async () => {
    expect(await ask(at(server, { query: '?sslmode=no-verify' }))).toBe('here')
    expect(await ask(at(other, { ca: misnamed.ca, query: '?sslmode=verify-ca' }))).toBe('here')
  })
})
