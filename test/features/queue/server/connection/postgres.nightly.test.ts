/** A real PostgreSQL with encryption and passwords: who is meant gets in, who is not stays out, and a false server is not believed. */
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresConnection } from '../../../../../src/features/queue/server/address.ts'
import { needsPostgres, type QueueServer, startPostgres } from '../servers.ts'
import { at, certificates, foreign, misnamed, refusal, secret } from './secured_servers.ts'

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
  test('who is refused at the start is told at once, with what to do: the authority, the name, the password, the encryption', async () => {
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
