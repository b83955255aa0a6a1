/** The address of a served page: the same for its user after a restart, another for everybody and everything else. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { deriveToken, ensureServerKey, isSameToken } from '../../../../src/flows/view/serve/address_token.ts'
import { startPageServer } from '../../../../src/flows/view/serve/server.ts'
import { fresh } from '../../../e2e/program.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const keyFolder = (temporary: string) => path.join(temporary, `whetstone-view-key-${process.getuid?.() ?? 'own'}`)

describe('the key', () => {
  test('stays, also when several ask for it at a time, and nobody else reads it', async () => {
    const temporary = fresh()
    const keys = await Promise.all(Array.from({ length: 8 }, () => ensureServerKey(temporary)))
    expect(new Set([...keys, await ensureServerKey(temporary)].map(hex)).size).toBe(1)
    expect(keys[0]).toHaveLength(32)
    expect(statSync(keyFolder(temporary)).mode & 0o777).toBe(0o700)
    expect(readdirSync(keyFolder(temporary))).toEqual(['key'])
  })
  const known = Buffer.alloc(32, 7)
  test.each<[string, (folder: string) => void]>([
    [
      'that others may enter',
      (folder) => {
        mkdirSync(folder)
        chmodSync(folder, 0o755)
      },
    ],
    [
      'that is a link to one',
      (folder) => {
        mkdirSync(`${folder}-elsewhere`, { mode: 0o700 })
        symlinkSync(`${folder}-elsewhere`, folder)
      },
    ],
    ['that is a file', (folder) => writeFileSync(folder, '')],
  ])('a folder %s, made by somebody before, gives no key and gets none', async (_what, make) => {
    const temporary = fresh()
    const folder = keyFolder(temporary)
    make(folder)
    if (statSync(folder).isDirectory()) writeFileSync(path.join(folder, 'key'), known)
    const [one, other] = [await ensureServerKey(temporary), await ensureServerKey(temporary)]
    expect(new Set([hex(one), hex(other), hex(known)]).size).toBe(3)
    if (statSync(folder).isDirectory()) expect(hex(readFileSync(path.join(folder, 'key')))).toBe(hex(known))
  })
  test('negative control: in a folder of its user alone such a key is taken', async () => {
    const temporary = fresh()
    mkdirSync(keyFolder(temporary), { mode: 0o700 })
    writeFileSync(path.join(keyFolder(temporary), 'key'), known)
    expect(hex(await ensureServerKey(temporary))).toBe(hex(known))
    rmSync(path.join(keyFolder(temporary), 'key'))
    expect(hex(await ensureServerKey(temporary))).not.toBe(hex(known))
  })
})

test('a token is of one key, folder and port', () => {
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const tokens = [
    deriveToken(one, '/a', 1),
    deriveToken(other, '/a', 1),
    deriveToken(one, '/b', 1),
    deriveToken(one, '/a', 2),
  ]
  expect(new Set(tokens).size).toBe(4)
  expect(isSameToken(deriveToken(one, '/a', 1), tokens[0] ?? '')).toBe(true)
  expect(isSameToken(tokens[0] ?? '', tokens[1] ?? '')).toBe(false)
  expect(isSameToken(tokens[0] ?? '', (tokens[0] ?? '').slice(0, -1))).toBe(false)
})

test('what starts a browser gets an address that leads to the page once', async () => {
  const server = await startPageServer({
    page: async () => '<html></html>',
    data: fresh(),
    keep: new Map(),
    port: 0,
    token: () => 'secret',
  })
  try {
    const address = server.once()
    expect(address).not.toContain('secret')
    const first = await fetch(address)
    expect([first.status, first.url]).toEqual([200, server.url])
    expect((await fetch(address)).status).toBe(403)
    expect((await fetch(server.once(), { method: 'POST' })).status).toBe(403)
    expect((await fetch(server.once(), { headers: { origin: 'http://evil.example' } })).status).toBe(403)
  } finally {
    await server.close()
  }
})
