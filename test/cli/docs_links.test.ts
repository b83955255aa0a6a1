/** Messages lead to the documentation from an installed package too. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { fresh } from '../e2e/program.ts'

const root = path.join(import.meta.dirname, '../..')

/** The program with or without the documentation next to it; the folder that it is asked to check has no suite. */
async function hintOf(withDocs: boolean): Promise<string> {
  const copy = fresh()
  for (const part of ['package.json', 'dist/program'])
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true, filter: (file) => !file.endsWith('.map') })
  for (const part of ['node_modules', 'dist/src', 'dist/viewer'])
    symlinkSync(path.join(root, part), path.join(copy, part))
  if (withDocs) mkdirSync(path.join(copy, 'docs'))
  const program = path.join(copy, 'dist/program/bin.js')
  const { stderr } = await execa(process.execPath, [program, 'eval', copy], { reject: false })
  return stderr
}

test('in a clone a page is a file, in the package an address of this version', async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  expect(await hintOf(true)).toContain('(docs/reference/formats.md)')
  expect(await hintOf(false)).toMatch(
    new RegExp(`\\(https://github\\.com/[\\w-]+/[\\w-]+/blob/v${version}/docs/reference/formats\\.md\\)`),
  )
})
