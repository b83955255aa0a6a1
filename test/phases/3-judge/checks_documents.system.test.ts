/** Checks of delivered documents: text checks on each format, cells of a workbook, encodings, and what cannot be read. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { createDocumentReads } from '../../../src/phases/3-judge/documents/document_reads.ts'
import { makeNotebook, makePdf, makeSlides, makeWord, makeWorkbook, makeZip } from './documents/make_documents.ts'
import { failed, passed, sceneWith, unreadable } from './scene.ts'

async function decide(check: unknown, files: Readonly<Record<string, string | Buffer>>) {
  return decideCheck(checkSchema.parse(check), await sceneWith(files))
}

const text = 'Region Ocean has the total 42'

const formats: Record<string, () => Promise<Buffer> | Buffer | string> = {
  'a.xlsx': () => makeWorkbook({ Summary: [[text]] }),
  'a.docx': () => makeWord([text]),
  'a.pptx': () => makeSlides([text]),
  'a.pdf': () => makePdf([text]),
  'a.ipynb': () => makeNotebook('total = 42', text),
}

test.each(Object.keys(formats))('%s is searched', async (path) => {
  const scene = await sceneWith({ [path]: (await formats[path]?.()) ?? '' })
  for (const [check, passed] of [
    [{ type: 'contains', path, value: 'Ocean has' }, true],
    [{ type: 'not_contains', path, value: 'Ocean has' }, false],
    [{ type: 'not_contains', path, value: 'Desert' }, true],
    [{ type: 'contains', target: 'outputs', value: 'Ocean has' }, true],
  ]) {
    expect(await decideCheck(checkSchema.parse(check), scene), JSON.stringify(check)).toMatchObject({ passed })
  }
})

/** As an agent writes it that zips XML by itself. */
const broken = () => makeZip({ 'xl/sharedStrings.xml': '<sst><si><t>Ocean</t></si><si><t>SECRET</t></si></sst>' })

describe('a file that cannot be read', () => {
  const path = 'o.xlsx'
  const unread = unreadable('o.xlsx: it is a zip archive without xl')
  test('fails each check of it, and of the outputs those that it could turn', async () => {
    const scene = await sceneWith({ 'a.md': 'Ocean: 42', [path]: await broken() })
    const target = 'outputs'
    const seen = 'a.md:1: Ocean: 42'
    for (const [check, verdict] of [
      [{ type: 'not_contains', path, value: 'SECRET' }, unread],
      [{ type: 'contains', path, value: 'Ocean' }, unread],
      [{ type: 'regex', path, pattern: 'Ocean' }, unread],
      [{ type: 'equals', path, value: 'Ocean' }, unread],
      [{ type: 'json_path', path, query: '$.a' }, unread],
      [{ type: 'csv', path, columns: ['a'] }, unread],
      [{ type: 'cell', path, cell: 'A1', equals: 'Ocean' }, unread],
      [{ type: 'not_contains', target, value: 'SECRET' }, unreadable('o.xlsx could not be read')],
      [{ type: 'not_contains', target, value: 'Ocean' }, failed(seen)],
      [{ type: 'contains', target, value: 'Ocean' }, passed(seen)],
      [{ type: 'contains', target, value: 'Desert' }, unreadable('o.xlsx could not be read')],
      [{ type: 'regex', target, pattern: 'Des.rt' }, unreadable('o.xlsx could not be read')],
    ]) {
      expect(await decideCheck(checkSchema.parse(check), scene), JSON.stringify(check)).toEqual(verdict)
    }
  })

  test('an image has no text: it is named, not searched', async () => {
    const files = { 'a.md': 'Ocean: 42', 'chart.png': Buffer.from('89504e470d0a1a0a00000000', 'hex') }
    const found = await decide({ type: 'not_contains', target: 'outputs', value: 'SECRET' }, files)
    expect(found).toMatchObject({ passed: true, evidence: expect.stringContaining('no text: chart.png') })
    expect(await decide({ type: 'not_contains', path: 'chart.png', value: 'SECRET' }, files)).toEqual(
      unreadable('chart.png'),
    )
  })
})

describe('cell', () => {
  const path = 'r.xlsx'
  const book = makeWorkbook({
    Summary: [
      ['total', 42.004, true],
      ['day', new Date('2026-01-15T00:00:00Z'), 'cafe\u0301'],
      ['sum', { formula: 'B1*2', result: 84 }, '42'],
      ['new', { formula: 'SUM(B1:B2)' } as never],
    ],
    Other: [['x', 7]],
  })
  test('is compared by its kind, and named by its sheet', async () => {
    const scene = await sceneWith({ [path]: await book })
    for (const [check, verdict] of [
      [{ cell: 'B1', equals: 42.004 }, passed('r.xlsx: Summary!B1 is 42.004')],
      [{ cell: 'b1', equals: 42, tolerance: 0.01 }, passed('r.xlsx: Summary!B1 is 42.004')],
      [{ cell: 'B1', equals: 42 }, failed('r.xlsx: Summary!B1 is 42.004, not the number 42')],
      [{ cell: 'B1', equals: '42.004' }, passed('r.xlsx: Summary!B1 is 42.004')],
      [{ cell: 'C1', equals: true }, passed('r.xlsx: Summary!C1 is TRUE')],
      [{ cell: 'C1', equals: false }, failed('r.xlsx: Summary!C1 is TRUE, not false')],
      [{ cell: 'B2', equals: '2026-01-15' }, passed('r.xlsx: Summary!B2 is 2026-01-15')],
      [{ cell: 'C2', equals: 'caf\u00e9' }, passed('r.xlsx: Summary!C2 is the text')],
      [{ cell: 'B3', equals: 84 }, passed('r.xlsx: Summary!B3 is 84')],
      [{ cell: 'C3', equals: 42 }, failed('r.xlsx: Summary!C3 is the text "42", not the number 42')],
      [{ cell: 'A3', contains: 'su' }, passed('r.xlsx: Summary!A3 is the text "sum"')],
      [{ cell: 'A3', contains: 'no' }, failed('r.xlsx: Summary!A3 is the text "sum", not a text with "no"')],
      [{ sheet: 'Other', cell: 'B1', equals: 7 }, passed('r.xlsx: Other!B1 is 7')],
      [{ cell: 'Z99', equals: 7 }, failed('r.xlsx: Summary!Z99 is empty; the sheets are Summary, Other')],
      [{ sheet: 'No', cell: 'B1', equals: 7 }, failed('r.xlsx has no sheet "No"; its sheets: Summary, Other')],
      [{ cell: 'B4', equals: 42 }, unreadable('Summary!B4 is the formula =SUM(B1:B2) without a saved result')],
    ]) {
      const given = checkSchema.parse({ type: 'cell', path, ...check })
      expect(await decideCheck(given, scene), JSON.stringify(check)).toEqual(verdict)
    }
  })

  test.each([
    { cell: 'B1' },
    { cell: 'B1', equals: 1, contains: 'x' },
    { cell: 'B1', equals: 'x', tolerance: 1 },
    { cell: 'B1', contains: 'x', tolerance: 1 },
  ])('%j is refused', (fields) => {
    expect(checkSchema.safeParse({ type: 'cell', path, ...fields }).success).toBe(false)
  })
})

test('csv reads the first sheet', async () => {
  const rows = [
    ['region', 'total', 'note'],
    ['Ocean', 42],
    ['River; "wide"', 7],
  ]
  const scene = await sceneWith({ 'r.xlsx': await makeWorkbook({ A: rows, B: [['x']] }) })
  for (const [check, passed] of [
    [{ columns: ['region', 'total'], rows: { equals: 2 } }, true],
    [{ cells: [{ where: { region: 'River; "wide"' }, column: 'total', equals: 7 }] }, true],
    [{ cells: [{ where: { region: 'Ocean' }, column: 'total', equals: 7 }] }, false],
  ] as const) {
    const given = checkSchema.parse({ type: 'csv', path: 'r.xlsx', ...check })
    expect(await decideCheck(given, scene), JSON.stringify(check)).toMatchObject({ passed })
  }
})

const [composed, decomposed] = ['caf\u00e9 total', 'cafe\u0301 total']
test.each([
  [composed, decomposed],
  [decomposed, composed],
])('Unicode: %j in %j', async (wanted, given) => {
  const scene = await sceneWith({
    'a.txt': given,
    'a.json': JSON.stringify({ [given]: [given] }),
    'a.csv': `${given},n\n${given},1\n`,
  })
  const cells = [{ where: { [wanted]: wanted }, column: 'n', equals: 1 }]
  for (const [check, passed] of [
    [{ type: 'contains', value: wanted }, true],
    [{ type: 'not_contains', value: wanted }, false],
    [{ type: 'regex', pattern: `^${wanted}` }, true],
    [{ type: 'equals', value: wanted }, true],
    [{ type: 'similarity', value: wanted, at_least: 1 }, true],
    [{ type: 'similarity', value: wanted, at_least: 1, algorithm: 'levenshtein' }, true],
    [{ type: 'contains', value: 'cafe total' }, false],
    [{ type: 'equals', path: 'a.json', value: { [wanted]: [wanted] } }, true],
    [{ type: 'json_path', path: 'a.json', query: `$['${wanted}'][0]`, equals: wanted }, true],
    [{ type: 'csv', path: 'a.csv', columns: [wanted], cells }, true],
    [{ type: 'contains', target: 'outputs', path: undefined, value: wanted }, true],
  ] as const) {
    const verdict = await decideCheck(checkSchema.parse({ path: 'a.txt', ...check }), scene)
    expect(verdict, JSON.stringify(check)).toMatchObject({ passed })
  }
})

test.each([
  ['UTF-16', Buffer.from('\ufeffcafé: 42', 'utf16le')],
  ['Latin-1', Buffer.from('café: 42', 'latin1')],
])('%s is searched', async (_, bytes) => {
  for (const where of [{ path: 'a.txt' }, { target: 'outputs' }])
    for (const [type, passed] of [
      ['contains', true],
      ['not_contains', false],
    ])
      expect(await decide({ type, value: 'café', ...where }, { 'a.txt': bytes })).toMatchObject({ passed })
})

test('a document is read once in a grading', async () => {
  const checks = [
    { type: 'contains', value: 'Ocean', path: 'a.xlsx' },
    { type: 'contains', value: 'Ocean', target: 'outputs' },
    { type: 'equals', value: '# Sheet: Summary\nOcean', path: 'a.xlsx' },
    { type: 'cell', path: 'a.xlsx', cell: 'a1', equals: 'Ocean' },
    { type: 'csv', path: 'a.xlsx', columns: ['Ocean'] },
  ]
  const scene = await sceneWith({ 'a.xlsx': await makeWorkbook({ Summary: [['Ocean']] }) })
  const expectAll = async (passed: boolean, documents = scene.documents) => {
    for (const check of checks) {
      const verdict = await decideCheck(checkSchema.parse(check), { ...scene, documents })
      expect(verdict, JSON.stringify(check)).toMatchObject({ passed })
    }
  }
  await expectAll(true)
  await writeFile(join(scene.outputsFolder, 'a.xlsx'), await makeWorkbook({ Summary: [['Desert']] }))
  await expectAll(true)
  await expectAll(false, createDocumentReads())
})
