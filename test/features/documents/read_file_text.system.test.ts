/** Text of delivered files: documents by their readers, text files in their encodings, and what cannot be read. */
import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readFileText } from '../../../src/phases/3-judge/documents/read_file_text.ts'
import {
  makeNotebook,
  makePdf,
  makeSlides,
  makeWord,
  makeWorkbook,
  makeZip,
} from '../../phases/3-judge/documents/make_documents.ts'
import { temporary, write } from '../../phases/3-judge/scene.ts'

const readers = path.join(import.meta.dirname, '../../../src/features/documents/readers')

async function read(name: string, content: string | Buffer) {
  const folder = await temporary()
  await write(folder, { [name]: content })
  return readFileText(path.join(folder, name), name, new AbortController().signal)
}

/** As the process does, without its half a second for each document. */
async function readInside(ending: string, content: Buffer): Promise<string> {
  const { readDocument } = await import(path.join(readers, `${ending}.mjs`))
  return (await readDocument(content)).text
}

const river = { richText: [{ text: 'Ri' }, { text: 'ver' }] }
const workbook = () =>
  makeWorkbook({
    Summary: [
      ['region', 'total', 'day', 'paid'],
      ['Ocean', 42.5, new Date('2026-01-15T00:00:00Z'), true],
      [river, { formula: 'B2*2', result: 85 }, new Date('2026-01-15T10:30:00Z')],
      ['No result', { formula: 'SUM(B2:B3)' } as never],
    ],
    Other: [['hidden word']],
  })

test.each<[string, () => Promise<Buffer> | Buffer, string[]]>([
  [
    'xlsx',
    workbook,
    [
      '# Sheet: Summary\nregion\ttotal\tday\tpaid\nOcean\t42.5\t2026-01-15\tTRUE\nRiver\t85\t2026-01-15T10:30:00',
      '=SUM(B2:B3)',
      '# Sheet: Other\nhidden word',
    ],
  ],
  ['docx', () => makeWord(['First line', 'Total: 42'], 'Confidential'), ['First line\n\nTotal: 42', 'Confidential']],
  ['pptx', () => makeSlides(['Hello', 'Ocean &amp; more'], 'Say it'), ['slide1.xml\nHello', 'Ocean & more', 'Say it']],
  ['pdf', () => makePdf(['Invoice 7', 'Total: 42']), ['# Page 1\nInvoice 7\nTotal: 42']],
])('%s is read', async (ending, make, parts) => {
  const text = await readInside(ending, await make())
  for (const part of parts) expect(text).toContain(part)
})

test.each<[string, () => Promise<Buffer> | Buffer | string, string]>([
  ['a.docx', () => makeWord(['Total: 42']), 'Total: 42'],
  ['a.PDF', () => makePdf(['Total: 42']), '# Page 1\nTotal: 42'],
  ['a.ipynb', () => makeNotebook('print(6 * 7)', '42\n'), '# Cell 1 (code)\nprint(6 * 7)\n# Output\n42\n'],
])('%s is read as a document, by its reader', async (name, make, text) => {
  const found = expect.stringContaining(text)
  expect(await read(name, await make())).toEqual({ status: 'text', document: true, text: found })
})

const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
const cut = async (whole: Promise<Buffer> | Buffer) => (await whole).subarray(0, 400)
const slide = (xml: string) => () => makeZip({ 'ppt/presentation.xml': '<p/>', 'ppt/slides/slide1.xml': xml })
const entities = '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">'
const bomb = async () =>
  makeZip({ 'xl/workbook.xml': '<workbook/>', 'xl/sharedStrings.xml': Buffer.alloc(101 * 2 ** 20, 'a') })

test.each<[string, string, () => Promise<Buffer> | Buffer, RegExp]>([
  ['a cut workbook', 'xlsx', () => cut(workbook()), /not a complete zip archive/],
  ['an encrypted workbook', 'xlsx', () => ole, /encrypted/],
  ['a small archive that unpacks to 101 MiB', 'xlsx', bomb, /unpacks to more than 100 MiB/],
  ['a cut Word document', 'docx', () => cut(makeWord(['x'])), /not a complete zip archive/],
  ['a presentation with broken XML', 'pptx', slide('<a:p><a:t>SECRET</a:p>'), /XML is not valid/],
  ['an entity bomb', 'pptx', slide(`<!DOCTYPE s [${entities}]><s><t>&b;</t></s>`), /XML is not valid/],
  ['an encrypted PDF', 'pdf', () => makePdf(['x'], { encrypt: true }), /encrypted/],
  ['a PDF without text', 'pdf', () => makePdf([]), /none of its 1 pages has text/],
  ['a broken PDF', 'pdf', () => Buffer.from('%PDF-1.4\nnothing'), /./],
])('%s is refused by its reader, with the reason', async (_, ending, make, reason) => {
  await expect(readInside(ending, await make())).rejects.toThrow(reason)
})

test.each<[string, string, () => Promise<Buffer> | Buffer | string, RegExp]>([
  ['the first bytes of a workbook', 'a.xlsx', () => 'PK\u0003\u0004broken', /not a complete zip archive/],
  ['an empty workbook file', 'a.xlsx', () => '', /not a complete zip archive/],
  ['a broken notebook', 'a.ipynb', () => '{"cells": 3}', /not a notebook/],
  ['an old workbook', 'a.xls', () => ole, /no reader for \.xls files/],
  ['an archive', 'a.zip', () => makeZip({ 'a.txt': 'SECRET' }), /no reader for \.zip files/],
])('%s is unreadable, with the reason', async (_, name, make, reason) => {
  expect(await read(name, await make())).toEqual({ status: 'unreadable', reason: expect.stringMatching(reason) })
})

const utf16 = (text: string) => Buffer.from(text, 'utf16le')
test.each<[string, Buffer, string]>([
  ['UTF-8 with a mark', Buffer.from('\ufeffcafé'), 'café'],
  ['UTF-16 LE with a mark', utf16('\ufeffcafé €'), 'café €'],
  ['UTF-16 BE with a mark', utf16('\ufeffcafé €').swap16(), 'café €'],
  ['UTF-16 LE without a mark', utf16('Total: café €'), 'Total: café €'],
  ['UTF-16 BE without a mark', utf16('Total: café €').swap16(), 'Total: café €'],
  ['Windows-1252', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0x80]), 'café €'],
])('%s is decoded', async (_, bytes, text) => {
  expect(await read('a.txt', bytes)).toEqual({ status: 'text', text, document: false })
})

test.each<[string, Buffer]>([
  ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['bytes with NUL', Buffer.from([1, 0, 2, 0, 3, 0])],
  ['bytes that are no UTF-8, with control characters', Buffer.from([0xff, 0x01, 0x02, 0x61])],
])('%s: binary', async (_, bytes) => {
  expect(await read('a.bin', bytes)).toEqual({ status: 'binary' })
})

test('a text file with the name of a workbook is read as text', async () => {
  expect(await read('a.xlsx', 'region,total\n')).toEqual({ status: 'text', text: 'region,total\n', document: false })
})

test('a missing reader is named with its fix', async () => {
  const folder = await temporary()
  await cp(readers, path.join(folder, 'readers'), { recursive: true }) // no node_modules above it
  const limits = { seconds: 5, bytes: 512e6 }
  const job = JSON.stringify({ file: path.join(folder, 'a.xlsx'), format: 'xlsx', packages: 'exceljs jszip', limits })
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(folder, 'readers/main.mjs'), job])
  const { missing } = JSON.parse(stdout)
  expect(missing).toMatch(/^the package exceljs is not installed; run: npm install exceljs jszip/)
})
