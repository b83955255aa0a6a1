/** A worker with a key runs what was signed with it, to the byte, and nothing else. */
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSigner, openSigner } from '../../../../src/features/queue/server/sign.ts'

const key = 'k'.repeat(32)
const signer = createSigner(Buffer.from(key))
const job = {
  id: 'abc',
  benchmark: '0123456789abcdef',
  attempt: 1,
  run: { prompt: 'add 1 and 2', skill: null, files: [] },
}
const signature = signer.sign(job)

describe('a signature', () => {
  test('fits its job, whatever the order of its fields and after a journey as JSON', () => {
    expect(signer.verify(job, signature)).toBe(true)
    const { run, ...rest } = job
    expect(signer.verify(JSON.parse(JSON.stringify({ run, ...rest })), signature)).toBe(true)
  })
  test.each([
    ['another prompt', { ...job, run: { ...job.run, prompt: 'rm -rf ~' } }],
    ['a field more', { ...job, pass_env: ['AWS_SECRET_ACCESS_KEY'] }],
    ['a field less', { id: job.id, benchmark: job.benchmark, run: job.run }],
    ['a number for a text', { ...job, id: 0 }],
  ])('fits no job with %s', (_what, changed) => expect(signer.verify(changed, signature)).toBe(false))
  test('any one change of any value is seen', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (value, name, other) => {
        const changed = { ...value, [name]: other }
        const isSame = JSON.stringify(sorted(changed)) === JSON.stringify(sorted(value))
        expect(signer.verify(changed, signer.sign(value))).toBe(isSame)
      }),
    )
  })
  test.each([
    ['none', null],
    ['an empty one', ''],
    ['one cut off', signature.slice(0, -1)],
    ['one with more', `${signature}0`],
    ['one of another key', createSigner(Buffer.from('K'.repeat(32))).sign(job)],
    ['a plain hash', `hmac-sha256:${createHash('sha256').update(JSON.stringify(job)).digest('hex')}`],
    ['another method', signature.replace('sha256', 'md5')],
  ])('%s fits nothing', (_what, wrong) => expect(signer.verify(job, wrong)).toBe(false))
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  )
}

describe('the key', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'key-')), 'queue.key')
  writeFileSync(file, `${key}\n`)
  test('from a file or the environment is the same; the file wins', () => {
    for (const [keyFile, env] of [
      [file, {}],
      [null, { WHETSTONE_QUEUE_KEY: key }],
      [file, { WHETSTONE_QUEUE_KEY: 'x'.repeat(32) }],
    ] as const) {
      expect(openSigner({ keyFile, env })?.sign(job)).toBe(signature)
    }
  })
  test('is none where none is given', () => {
    expect(openSigner({ keyFile: null, env: {} })).toBeNull()
    expect(openSigner({ keyFile: null, env: { WHETSTONE_QUEUE_KEY: ' ' } })).toBeNull()
  })
  test('that is short, empty, not there or a folder is refused, and never shown', () => {
    const short = `${file}.short`
    writeFileSync(short, 'hunter2')
    expect(() => openSigner({ keyFile: short, env: {} })).toThrow('a key of 7 bytes is too short')
    expect(() => openSigner({ keyFile: short, env: {} })).not.toThrow('hunter2')
    writeFileSync(short, '')
    expect(() => openSigner({ keyFile: short, env: {} })).toThrow('0 bytes')
    expect(() => openSigner({ keyFile: `${file}.none`, env: {} })).toThrow('no such file')
    expect(() => openSigner({ keyFile: path.dirname(file), env: {} })).toThrow('EISDIR')
    expect(() => openSigner({ keyFile: null, env: { WHETSTONE_QUEUE_KEY: 'abc' } })).toThrow(
      'WHETSTONE_QUEUE_KEY: a key of 3',
    )
  })
})
