/** Real servers with encryption and passwords: who is meant gets in, who is not stays out, and a false server is not believed. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserError } from '../../../../src/base/errors/error.ts'
import { resolveQueueAddress } from '../../../../src/jobs/queue/address.ts'
import { postgresConnection, redisConnection } from '../../../../src/jobs/queue/connection/connection.ts'
import { openTransport } from '../../../../src/jobs/queue/open.ts'
import { usualTiming } from '../../../../src/jobs/queue/transport.ts'
import { type Certificates, makeCertificates } from '../../../fixtures/certificates.ts'
import { needsPostgres, needsRedis, type QueueServer, startPostgres, startRedis } from '../servers.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'connection-'))
const made = (name: string, host?: string): Certificates => {
  mkdirSync(path.join(folder, name))
  return makeCertificates(path.join(folder, name), host)
}
const certificates = made('own')
const foreign = made('foreign')
const misnamed = made('misnamed', 'elsewhere')
const secret = 'p@ss/w:rd'

function at(server: QueueServer, more: { ca?: string; password?: string; user?: string; query?: string }) {
  const address = resolveQueueAddress({
    url: `${server.url}${more.query ?? ''}`,
    caFile: more.ca ?? null,
    passwordFile: null,
    env: { WHETSTONE_QUEUE_USER: more.user ?? 'whetstone', WHETSTONE_QUEUE_PASSWORD: more.password ?? secret },
  })
  if (address === null) throw new Error('no address')
  return address
}

/** What a command that would wait for the server is told, with the fix; nothing is waited for. */
async function refusal(address: ReturnType<typeof at>): Promise<string> {
  const waited: string[] = []
  const patience = {
    waitMs: 600_000,
    waits: (why: string) => void waited.push(why),
    signal: new AbortController().signal,
  }
  const error: unknown = await openTransport(address, usualTiming, patience).catch((caught) => caught)
  expect([error instanceof UserError, waited]).toEqual([true, []])
  return error instanceof UserError ? `${error.message}\n${error.fix}` : ''
}

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
    const { Redis } = await import('ioredis')
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
  test('who is refused at the start is told at once, however long a server that is away would be waited for', async () => {
    expect(await refusal(at(plain, { password: 'wrong' }))).toContain('WRONGPASS')
    expect(await refusal(at(server, { ca: foreign.ca }))).toMatch(/certificate|self-signed/)
  })
  test('and with what to do: the authority, the name, the password', async () => {
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

needsPostgres('postgres', () => {
  let server: QueueServer
  let other: QueueServer
  let plain: QueueServer
  beforeAll(async () => {
    server = await startPostgres({ tls: certificates, password: secret })
    other = await startPostgres({ tls: misnamed, password: secret })
    plain = await startPostgres({ password: secret })
  })
  afterAll(async () => {
    for (const one of [server, other, plain]) await one[Symbol.asyncDispose]()
  })
  const ask = async (address: ReturnType<typeof at>) => {
    const { default: pg } = await import('pg')
    const client = new pg.Client(postgresConnection(address))
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query(
        'select current_user as me, ssl from pg_stat_ssl where pid = pg_backend_pid()',
      )
      return rows[0]
    } finally {
      const ended = once(client, 'end').catch(() => {})
      await Promise.race([client.end().catch(() => {}), ended])
    }
  }
  test('with the right authority, user and password it answers, encrypted', async () => {
    expect(await ask(at(server, { ca: certificates.ca }))).toEqual({ me: 'whetstone', ssl: true })
    expect(await ask(at(server, { ca: certificates.ca, query: '?sslmode=require' }))).toMatchObject({ ssl: true })
  })
  test('a wrong password and a connection in the clear are refused', async () => {
    await expect(ask(at(server, { ca: certificates.ca, password: 'wrong' }))).rejects.toThrow('password authentication')
    await expect(ask(at(server, {}))).rejects.toThrow('no encryption')
  })
  test('a server that the authority does not vouch for is not spoken to', async () => {
    await expect(ask(at(server, { ca: foreign.ca }))).rejects.toThrow(/certificate|self-signed/)
    await expect(ask(at(server, { query: '?sslmode=require' }))).rejects.toThrow(/certificate|self-signed/)
    await expect(ask(at(other, { ca: misnamed.ca }))).rejects.toThrow(/does not match|altname/i)
  })
  test('who is refused at the start is told at once, however long a server that is away would be waited for', async () => {
    expect(await refusal(at(server, { ca: certificates.ca, password: 'wrong' }))).toContain('password authentication')
    expect(await refusal(at(server, { ca: foreign.ca }))).toMatch(/certificate|self-signed/)
    expect(await refusal(at(server, {}))).toContain('no encryption')
  })
  test('and with what to do: the authority, the name, the password, the encryption', async () => {
    const [trusted, verify] = [{ ca: certificates.ca }, { query: '?sslmode=require' }]
    const authority = /certificate.*\n.*authority.*--queue-ca or WHETSTONE_QUEUE_CA/
    for (const more of [verify, { ca: foreign.ca }]) expect(await refusal(at(server, more))).toMatch(authority)
    expect(await refusal(at(other, { ca: misnamed.ca }))).toMatch(/altnames.*\n.*host name in its certificate/)
    expect(await refusal(at(server, { ...trusted, password: 'wrong' }))).toMatch(/authentication.*\n.*_USER.*_PASSWORD/)
    const asks = /: the server requires a password\n.*--queue-password-file or WHETSTONE_QUEUE_PASSWORD/
    expect(await refusal({ ...at(server, trusted), password: null })).toMatch(asks)
    expect(await refusal({ ...at(server, trusted), user: null })).toMatch(/requires a user\n.*WHETSTONE_QUEUE_USER/)
    expect(await refusal(at(server, {}))).toMatch(/no encryption\n.*sslmode=verify-full/)
    expect(await refusal(at(plain, verify))).toMatch(
      /SSL.*\n.*does not support encryption: leave out sslmode and --queue-ca/,
    )
  })
  test('control: with the checks off, those same servers are believed', async () => {
    expect(await ask(at(server, { query: '?sslmode=no-verify' }))).toMatchObject({ ssl: true })
    expect(await ask(at(other, { ca: misnamed.ca, query: '?sslmode=verify-ca' }))).toMatchObject({ ssl: true })
  })
})
