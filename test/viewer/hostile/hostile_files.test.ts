/** Artefacts that would hang or break a page rather than run in it: very many files, plans that name other files, a part without form. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/json/json.ts'
import { readCaseFiles } from '../../../src/flows/page/data/case_files.ts'
import { readOutputs } from '../../../src/flows/page/read_outputs.ts'
import { fresh } from '../../e2e/program.ts'
import { drawPages } from '../draw.ts'
import { benchmark } from '../full_workspace.ts'
import { stage } from '../stage.ts'

const draw = drawPages()

test('a view that can not be drawn says so, and the others are there', async () => {
  const audit = { sentence: 'without its table', corrected: null, banner: null }
  const staged = await stage({ benchmark: Object.assign({}, benchmark, { audit }) })
  expect((await draw(staged, '#/audit')).all('[role=alert]')).toHaveLength(1)
  expect((await draw(staged, '#/')).text('h1')).toContain('95% CI')
  expect((await draw(staged, '#/case/1')).text('h1')).toContain('case-1')
})

test('of very many files the rest is told', () => {
  const folder = fresh()
  for (let number = 0; number < 203; number += 1) writeFileSync(path.join(folder, `${1000 + number}.txt`), 'x')
  const files = readOutputs(folder)
  expect([files.length, files.at(-2)?.path, files.at(-1)?.path]).toEqual([201, '1199.txt', '… 3 more files'])
  expect(files.at(-1)?.left_out).toContain('200 files')
})

describe('input files that a plan names', () => {
  const folder = fresh()
  mkdirSync(path.join(folder, 'sub'))
  writeFileSync(path.join(folder, 'key.txt'), 'secret')
  writeFileSync(path.join(folder, 'sub/key.txt'), 'secret')
  const shown = async (file: object) => {
    const named = { path: 'in', source: path.join(folder, 'key.txt'), kind: 'file' as const, bytes: 6, ...file }
    const files = await readCaseFiles([{ eval_id: 1, files: [named] } as never])
    return files.get(1)?.map(({ body, left_out }) => body || left_out)
  }
  const gone = ['The file was moved or changed after the benchmark was planned.']
  const inFolder = sha256(`key.txt\0${sha256('secret')}\0`)
  test.each<[string, object, readonly string[]]>([
    ['as planned', { sha256: sha256('secret') }, ['secret']],
    ['of the same size, another content', { sha256: sha256('publik') }, gone],
    ['a folder as planned', { kind: 'directory', source: path.join(folder, 'sub'), sha256: inFolder }, ['secret']],
    ['a folder of another content', { kind: 'directory', source: path.join(folder, 'sub'), sha256: '0' }, gone],
    ['a device', { source: '/dev/zero', bytes: 0, sha256: sha256('') }, gone],
    ['very large', { bytes: 1e9, sha256: sha256('secret') }, ['Too large for the page.']],
  ])('%s', async (_what, file, expected) => expect(await shown(file)).toEqual(expected))
})
