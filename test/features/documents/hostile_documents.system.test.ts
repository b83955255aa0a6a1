/** Hostile documents: each fails the checks of it as unreadable, within the limits of its reader's process, and the run is counted. */
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { runProcess } from '../../../src/base/process/spawn.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { makePdf, makeWord, makeZip } from '../../phases/3-judge/documents/make_documents.ts'
import { gradeFiles, quoter } from '../../phases/3-judge/graded.ts'
import { sceneWith, temporary, unreadable, write } from '../../phases/3-judge/scene.ts'

/** Many megabytes of elements in a few kilobytes: valid, but each becomes an object. */
const hugeXml = (open: string, part: string, close: string) =>
  Buffer.concat([Buffer.from(open), Buffer.from(part.repeat((60 * 2 ** 20) / part.length)), Buffer.from(close)])

const hostile: Record<string, [string, () => Promise<Buffer> | Buffer | string, string]> = {
  'random bytes': ['a.docx', () => Buffer.from([0x00, 0xff, 0x13, 0x37, 0x80]), 'not a complete zip archive'],
  'an empty file': ['a.docx', () => '', 'not a complete zip archive'],
  'a cut document': [
    'a.docx',
    async () => (await makeWord(['excellent'])).subarray(0, 300),
    'not a complete zip archive',
  ],
  'elements without an end': [
    'a.docx',
    () =>
      makeZip({
        'word/document.xml': hugeXml('<w:document xmlns:w="w"><w:body>', '<w:p><w:r/></w:p>', '</w:body></w:document>'),
      }),
    'takes longer than 5 s|needs more than 512 MB',
  ],
  'millions of cells': [
    'a.xlsx',
    () =>
      makeZip({
        'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        'xl/worksheets/sheet1.xml': hugeXml(
          '<worksheet><sheetData><row r="1">',
          '<c r="A1"><v>1</v></c>',
          '</row></sheetData></worksheet>',
        ),
      }),
    'takes longer than 5 s|needs more than 512 MB',
  ],
  'an entity bomb': [
    'a.pptx',
    () =>
      makeZip({
        'ppt/presentation.xml': '<p/>',
        'ppt/slides/slide1.xml': '<!DOCTYPE s [<!ENTITY a "aaaa">]><s><t>&a;</t></s>',
      }),
    'XML is not valid',
  ],
  'an encrypted PDF': ['a.pdf', () => makePdf(['excellent'], { encrypt: true }), 'encrypted'],
  'a notebook that is a list': ['a.ipynb', () => '[1, 2]', 'not a notebook'],
}

/** Checks of the word, and of its absence: none may pass. */
const checksOf = (file: string) => [
  { type: 'contains', path: file, value: 'excellent' },
  { type: 'not_contains', path: file, value: 'poor' },
  { type: 'regex', path: file, pattern: 'poor', absent: true },
  { type: 'not_contains', target: 'outputs', value: 'poor' },
  { type: 'equals', path: file, value: 'excellent' },
]

test.each(Object.entries(hostile))('%s', async (_, [file, make, reason]) => {
  const scene = await sceneWith({ [file]: await make(), 'b.md': 'excellent' })
  for (const check of checksOf(file)) {
    const verdict = await decideCheck(checkSchema.parse(check), scene)
    expect(verdict, JSON.stringify(check)).toMatchObject({ passed: false, unreadable: true })
    expect(verdict).toHaveProperty('evidence', expect.stringMatching(new RegExp(`^unreadable: .*(?:${reason})`)))
  }
})

test('control: a good document is read', async () => {
  const scene = await sceneWith({ 'a.docx': await makeWord(['excellent']) })
  for (const check of checksOf('a.docx'))
    expect(await decideCheck(checkSchema.parse(check), scene), JSON.stringify(check)).toMatchObject({ passed: true })
})

/** Runs the reader's process with a format whose reader is this code. */
async function readBy(code: string) {
  const folder = await temporary()
  const readers = path.join(import.meta.dirname, '../../../src/features/documents/readers')
  await cp(readers, folder, { recursive: true })
  await write(folder, { 'ipynb.mjs': `export async function readDocument() { ${code} }`, 'a.ipynb': '' })
  const limits = { seconds: 1, bytes: 300e6 }
  const job = JSON.stringify({ file: path.join(folder, 'a.ipynb'), format: 'ipynb', packages: '', limits })
  const { signal } = new AbortController()
  const env = {}
  return runProcess({ command: process.execPath, args: [path.join(folder, 'main.mjs'), job], cwd: folder, env, signal })
}

test.each([
  ['a loop', 'for (;;);', 'SIGTERM'],
  ['a heap without an end', 'const all = []; for (;;) all.push({ a: 1 })', 'SIGKILL'],
  ['buffers outside of the heap', 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))', 'SIGKILL'],
  ['control: a short text', 'return { text: "fine" }', null],
])('the process of a reader ends itself: %s', async (_, code, signal) => {
  const end = await readBy(code)
  expect(end.signal).toBe(signal)
  expect(end.stdout).toBe(signal === null ? '{"value":{"text":"fine"}}' : '')
})

test('the run is counted, and the judge is told why there is no text', async () => {
  const bytes = Buffer.from([0x00, 0xff, 0x13, 0x37, 0x80])
  const { judge, prompts } = quoter('fail: there is no text')
  const parts = {
    checks: [{ type: 'contains', path: 'a.docx', value: 'excellent' }],
    expectations: [{ text: 'The letter is kind' }],
  }
  const files = { 'outputs/a.docx': bytes, 'transcript.md': '## Eval Prompt\n\nAdd up.\n', 'transcript.jsonl': '' }
  const graded = await gradeFiles({ files, parts, judge })
  expect(graded?.grading.judge_errors).toBeUndefined()
  expect(graded?.grading.summary).toMatchObject({ passed: 0, failed: 2, pass_rate: 0 })
  expect(graded?.grading.expectations).toContainEqual(expect.objectContaining(unreadable('a.docx')))
  expect(prompts[0]).toContain('the text of outputs/a.docx could not be read: it is not a complete zip archive')
})
