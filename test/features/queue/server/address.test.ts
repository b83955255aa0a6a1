/** An address says who we are and whom we trust; nothing secret of it is ever in a message. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveQueueAddress } from '../../../../src/features/queue/server/address.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'address-'))
const ca = path.join(folder, 'ca.crt')
writeFileSync(ca, '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n')
const passwordFile = path.join(folder, 'password')
writeFileSync(passwordFile, 's3cret from file\n')
const nothing = { caFile: null, passwordFile: null, env: {} }
const strict = { rejectUnauthorized: true, checksHost: true }
const of = (url: string | null, more: Partial<Parameters<typeof resolveQueueAddress>[0]> = {}) =>
  resolveQueueAddress({ url, ...nothing, ...more })

describe('an address', () => {
  test('is none where none is given', () => expect(of(null)).toBeNull())
  test.each([
    ['redis://h', { kind: 'redis', host: 'h', port: 6379, database: '0', tls: null, place: 'redis://h' }],
    ['rediss://h:7/3', { port: 7, database: '3', tls: strict }],
    ['redis://u%40x:p%2Fw@h', { user: 'u@x', password: 'p/w', place: 'redis://h' }],
    ['redis://[::1]:7', { host: '::1', port: 7 }],
    ['postgres://h/d', { kind: 'postgres', port: 5432, database: 'd', tls: null }],
    ['postgresql://h', { kind: 'postgres', database: 'postgres' }],
    ['postgres://h/d?sslmode=require', { tls: strict, place: 'postgres://h/d' }],
    ['postgres://h/d?sslmode=verify-ca', { tls: { rejectUnauthorized: true, checksHost: false } }],
    ['postgres://h/d?sslmode=no-verify', { tls: { rejectUnauthorized: false, checksHost: false } }],
  ])('%s', (url, expected) => expect(of(url)).toMatchObject(expected))

  test('comes from the environment where no flag is given', () => {
    const env = {
      WHETSTONE_QUEUE: 'rediss://h',
      WHETSTONE_QUEUE_USER: 'me',
      WHETSTONE_QUEUE_PASSWORD: 'pw',
      WHETSTONE_QUEUE_CA: ca,
    }
    const tls = { ca: expect.stringContaining('BEGIN') }
    expect(of(null, { env })).toMatchObject({ user: 'me', password: 'pw', tls })
    const other = of('redis://other', { env: { ...env, WHETSTONE_QUEUE_CA: '' } })
    expect(other).toMatchObject({ host: 'other', user: 'me' })
    expect(of('rediss://h', { env, passwordFile })).toMatchObject({ password: 's3cret from file' })
  })
  test('an authority alone turns encryption on for postgres', () => {
    expect(of('postgres://h', { caFile: ca })).toMatchObject({ tls: strict })
  })

  const missing = path.join(folder, 'none')
  writeFileSync(path.join(folder, 'empty'), '')
  test.each([
    ['no url', 'not a url', nothing, 'not a queue address'],
    ['another protocol', 'http://u:hunter2@h', nothing, '--queue "http://***@h": not a queue'],
    ['a password with an @', 'http://u:hunter2@x@h', nothing, 'http://***@h"'],
    ['a database that is no number', 'redis://u:hunter2@h/abc', nothing, 'redis://h/abc: expected a database number'],
    ['a half one', 'redis://h/1.5', nothing, 'got "1.5"'],
    ['a bare % in the password', 'redis://u:hunter2%off@h', nothing, '--queue redis://h: a % is not followed by two'],
    ['a bare % in the database', 'postgres://u:hunter2@h/%zz', nothing, 'a % is not followed'],
    ['a half address', 'redis//u:hunter2@h', nothing, 'redis//***@h'],
    ['a word for TLS that is unknown', 'postgres://u:hunter2@h?sslmode=prefer', nothing, 'prefer is not one of'],
    ['an authority without encryption', 'redis://u:hunter2@h', { ...nothing, caFile: ca }, 'without encryption'],
    ['the same for postgres', 'postgres://h?sslmode=disable', { ...nothing, caFile: ca }, 'without encryption'],
    ['an authority that is not there', 'rediss://h', { ...nothing, caFile: missing }, `${missing}: no such file`],
    ['an authority that is none', 'rediss://h', { ...nothing, caFile: passwordFile }, 'contains no certificate'],
    ['no password file', 'redis://h', { ...nothing, passwordFile: missing }, 'no such file'],
    ['an empty one', 'redis://h', { ...nothing, passwordFile: path.join(folder, 'empty') }, 'is empty'],
  ])('%s is refused, and no secret said', (_what, url, more, message) => {
    expect(() => of(url, more)).toThrow(message)
    expect(() => of(url, more)).not.toThrow(/hunter2|s3cret/)
  })
})
