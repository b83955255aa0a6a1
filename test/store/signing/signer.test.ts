/** The key is this user's, made once, and never needs a state folder; a signature counts for one thing only. */
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { sha256 } from '../../../src/base/json/json.ts'
import { createResultSigner, findSigner, isSignedFile, writeSigned } from '../../../src/store/signing/signer.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'signer-'))
const content = sha256('content')
const value = z.object({ a: z.number() })

test('the key is created by the first signature, for the user alone, and is the same for every process', () => {
  const state = fresh()
  const signer = findSigner({ XDG_STATE_HOME: state })
  expect(signer.isSigned(['run', 'a'], content, 'f'.repeat(64))).toBe(false)
  expect(readdirSync(state), 'checking alone creates nothing').toEqual([])
  const hmac = signer.sign(['run', 'a'], content)
  const file = path.join(state, 'whetstone/signing_key')
  expect([statSync(file).mode & 0o777, readdirSync(path.dirname(file))]).toEqual([0o600, ['signing_key']])
  const other = createResultSigner(() => Buffer.from(readFileSync(file, 'utf8').trim()))
  expect(other.sign(['run', 'a'], content)).toBe(hmac)
})

test.each<[string, boolean, (hmac: string) => [string[], string, string]]>([
  ['as it was signed', true, (hmac) => [['run', 'a'], content, hmac]],
  ['another content', false, (hmac) => [['run', 'a'], sha256('other'), hmac]],
  ['another name', false, (hmac) => [['run', 'b'], content, hmac]],
  ['another kind', false, (hmac) => [['grading', 'a'], content, hmac]],
  ['cut off', false, (hmac) => [['run', 'a'], content, hmac.slice(1)]],
  ['none', false, () => [['run', 'a'], content, '']],
])('a signature, %s: %s', (_what, counts, change) => {
  const signer = findSigner({ WHETSTONE_SIGNING_KEY: 'sixteen characters or more' })
  expect(signer.isSigned(...change(signer.sign(['run', 'a'], content)))).toBe(counts)
  expect(findSigner({ WHETSTONE_SIGNING_KEY: 'another key of that length' }).sign(['run', 'a'], content)).not.toBe(
    signer.sign(['run', 'a'], content),
  )
})

test.each<[string, () => Record<string, string>]>([
  ['no home', () => ({})],
  [
    'a state folder that is a file',
    () => {
      const file = path.join(fresh(), 'file')
      writeFileSync(file, '')
      return { XDG_STATE_HOME: file }
    },
  ],
])('with %s the key ends with the process, which trusts what it signed itself', (_what, env) => {
  const signer = findSigner(env())
  expect(signer.isSigned(['run', 'a'], content, signer.sign(['run', 'a'], content))).toBe(true)
})

test('too short a key is refused', () => {
  expect(() => findSigner({ WHETSTONE_SIGNING_KEY: 'short' })).toThrow('WHETSTONE_SIGNING_KEY: 5 characters')
})

test('a file stays signed while its next content is on its way, and an edited one is not signed', async () => {
  const signer = createResultSigner(() => Buffer.from('k'))
  const file = path.join(fresh(), 'a.json')
  await writeSigned(value, { file }, { value: { a: 1 }, signer })
  const before = readFileSync(file)
  await writeSigned(value, { file }, { value: { a: 2 }, signer })
  expect(isSignedFile(file, signer)).toBe(true)
  writeFileSync(file, before) // as after a kill between the two renames
  expect(isSignedFile(file, signer)).toBe(true)
  writeFileSync(file, '{"a": 3}\n')
  expect(isSignedFile(file, signer)).toBe(false)
})
