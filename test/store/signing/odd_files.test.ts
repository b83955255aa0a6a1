/** A pipe or a device among somebody else's results keeps nobody waiting. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { readRegularFile } from '../../../src/base/fs/special_files.ts'
import { tryReadArtefact } from '../../../src/store/artefacts/damage.ts'
import { createResultSigner, isSignedFile, writeSigned } from '../../../src/store/signing/signer.ts'

const signer = createResultSigner(() => Buffer.from('k'.repeat(64)))
let file: string
beforeEach(async () => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'odd-')), 'state.json')
  await writeSigned(z.object({}), { file }, { value: {}, signer })
})
afterEach(() => rmSync(path.dirname(file), { recursive: true }))

const odd: [string, (place: string) => void][] = [
  ['a pipe', (place) => execFileSync('mkfifo', [place])],
  ['a device', (place) => symlinkSync('/dev/null', place)],
]
const replace = (place: string, make: (place: string) => void) => {
  rmSync(place)
  make(place)
}

test('control: a plain file and a link to one are read', () => {
  expect(isSignedFile(file, signer)).toBe(true)
  replace(file, (place) => {
    writeFileSync(`${place}-other`, '{}\n')
    symlinkSync('state.json-other', place)
  })
  expect(tryReadArtefact(z.object({}), file)).toEqual({})
  expect(isSignedFile(file, signer)).toBe(true)
})

test.each(odd)('%s in place of a result or of its signature counts as none', (what, make) => {
  replace(`${file}.hmac`, make)
  expect(isSignedFile(file, signer)).toBe(false)
  replace(file, make)
  expect(isSignedFile(file, signer)).toBe(false)
  const damage: string[] = []
  expect(tryReadArtefact(z.object({}), file, ({ message }) => damage.push(message))).toBeNull()
  expect(damage).toEqual([`${file}: expected a file, found ${what}`])
  expect(() => readRegularFile(file)).toThrow(what)
})
