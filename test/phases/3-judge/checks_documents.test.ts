/** Checks of delivered documents: text checks on each format, cells of a workbook, encodings, and what cannot be read. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { createDocumentReads } from '../../../src/phases/3-judge/documents/document_reads.ts'
import { makeNotebook, makePdf, makeSlides, makeWord, makeWorkbook, makeZip } from './documents/make_documents.ts'
import { sceneWith } from './scene.ts'

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

describe.each(Object.keys(formats))('%s', (path) => {
  const make = async () => ({ [path]: (await formats[path]?.()) ?? '' })
  test.each([
    [{ type: 'contains', path, value: 'Ocean has' }, true],
    [{ type: 'not_contains', path, value: 'Ocean has' }, false],
    [{ type: 'not_contains', path, value: 'Desert' }, true],
    [{ type: 'contains', target: 'outputs', value: 'Ocean has' }, true],
  ])('%j: %s', async (check, passed) => {
    expect(await decide(check, await make())).toMatchObject({ passed })
  })
})

/** As an agent writes it that zips XML by itself. */
const broken = () => makeZip({ 'xl/sharedStrings.xml': '<sst><si><t>Ocean</t></si><si><t>SECRET</t></si></sst>' })

describe('a file that cannot be read', () => {
  const path = 'o.xlsx'
  test.each([
    { type: 'not_contains', path, value: 'SECRET' },
    { type: 'contains', path, value: 'Ocean' },
    { type: 'regex', path, pattern: 'Ocean' },
    { type: 'equals', path, value: 'Ocean' },
    { type: 'similarity', path, value: 'Ocean', at_least: 0.1 },
    { type: 'json_path', path, query: '$.a' },
    { type: 'csv', path, columns: ['a'] },
    { type: 'cell', path, cell: 'A1', equals: 'Ocean' },
  ])('leaves %j undecided', async (check) => {
    const verdict = await decide(check, { [path]: await broken() })
    expect(verdict).toEqual({
      error: expect.stringMatching(/^o\.xlsx could not be read: it is a zip archive without xl/),
    })
  })

  const others = { 'a.md': 'Ocean: 42' }
  test.each([
    [{ type: 'not_contains', value: 'SECRET' }, { error: expect.stringContaining('o.xlsx could not be read') }],
    [
      { type: 'not_contains', value: 'Ocean' },
      { passed: false, evidence: 'a.md:1: Ocean: 42' },
    ],
    [
      { type: 'contains', value: 'Ocean' },
      { passed: true, evidence: 'a.md:1: Ocean: 42' },
    ],
    [{ type: 'contains', value: 'Desert' }, { error: expect.stringContaining('o.xlsx could not be read') }],
    [{ type: 'regex', pattern: 'Des.rt' }, { error: expect.stringContaining('o.xlsx could not be read') }],
  ])('among the outputs: %j', async (check, verdict) => {
    expect(await decide({ ...check, target: 'outputs' }, { ...others, [path]: await broken() })).toEqual(verdict)
  })

  test('an image has no text: it is named, not searched', async () => {
    const files = { ...others, 'chart.png': Buffer.from('89504e470d0a1a0a00000000', 'hex') }
    const found = await decide({ type: 'not_contains', target: 'outputs', value: 'SECRET' }, files)
    expect(found).toMatchObject({ passed: true, evidence: expect.stringContaining('no text: chart.png') })
    expect(await decide({ type: 'not_contains', path: 'chart.png', value: 'SECRET' }, files)).toHaveProperty('error')
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
  const is = (place: string, value: string) => expect.stringContaining(`r.xlsx: ${place} is ${value}`)
  test.each([
    [
      { cell: 'B1', equals: 42.004 },
      { passed: true, evidence: is('Summary!B1', '42.004') },
    ],
    [
      { cell: 'b1', equals: 42, tolerance: 0.01 },
      { passed: true, evidence: is('Summary!B1', '42.004') },
    ],
    [
      { cell: 'B1', equals: 42 },
      { passed: false, evidence: is('Summary!B1', '42.004, not the number 42') },
    ],
    [
      { cell: 'B1', equals: '42.004' },
      { passed: true, evidence: is('Summary!B1', '42.004') },
    ],
    [
      { cell: 'C1', equals: true },
      { passed: true, evidence: is('Summary!C1', 'TRUE') },
    ],
    [
      { cell: 'C1', equals: false },
      { passed: false, evidence: is('Summary!C1', 'TRUE, not false') },
    ],
    [
      { cell: 'B2', equals: '2026-01-15' },
      { passed: true, evidence: is('Summary!B2', '2026-01-15') },
    ],
    [
      { cell: 'C2', equals: 'caf\u00e9' },
      { passed: true, evidence: is('Summary!C2', 'the text') },
    ],
    [
      { cell: 'B3', equals: 84 },
      { passed: true, evidence: is('Summary!B3', '84') },
    ],
    [
      { cell: 'C3', equals: 42 },
      { passed: false, evidence: is('Summary!C3', 'the text "42", not the number 42') },
    ],
    [
      { cell: 'A3', contains: 'su' },
      { passed: true, evidence: is('Summary!A3', 'the text "sum"') },
    ],
    [
      { cell: 'A3', contains: 'no' },
      { passed: false, evidence: is('Summary!A3', 'the text "sum", not a text with "no"') },
    ],
    [
      { sheet: 'Other', cell: 'B1', equals: 7 },
      { passed: true, evidence: is('Other!B1', '7') },
    ],
    [
      { cell: 'Z99', equals: 7 },
      { passed: false, evidence: is('Summary!Z99', 'empty; the sheets are Summary, Other') },
    ],
    [
      { sheet: 'No', cell: 'B1', equals: 7 },
      { passed: false, evidence: 'r.xlsx has no sheet "No"; its sheets: Summary, Other' },
    ],
    [{ cell: 'B4', equals: 42 }, { error: 'r.xlsx: Summary!B4 is the formula =SUM(B1:B2) without a saved result' }],
  ])('%j', async (check, verdict) => {
    expect(await decide({ type: 'cell', path, ...check }, { [path]: await book })).toEqual(verdict)
  })

  test('a missing workbook fails, as does any missing file', async () => {
    const found = await decide({ type: 'cell', path, cell: 'A1', equals: 1 }, { 'a.md': '' })
    expect(found).toEqual({ passed: false, evidence: 'No output file r.xlsx; the agent left a.md' })
  })

  test.each([
    { cell: 'B1' },
    { cell: 'B1', equals: 1, contains: 'x' },
    { cell: '7B', equals: 1 },
    { cell: 'B1', equals: 'x', tolerance: 1 },
    { cell: 'B1', contains: 'x', tolerance: 1 },
  ])('%j is refused', (fields) => {
    expect(checkSchema.safeParse({ type: 'cell', path, ...fields }).success).toBe(false)
  })
})

test.each([
  [{ columns: ['region', 'total'], rows: { equals: 2 } }, true],
  [{ cells: [{ where: { region: 'River; "wide"' }, column: 'total', equals: 7 }] }, true],
  [{ cells: [{ where: { region: 'Ocean' }, column: 'total', equals: 7 }] }, false],
])('csv reads the first sheet: %j', async (check, passed) => {
  const files = {
    'r.xlsx': await makeWorkbook({
      A: [
        ['region', 'total', 'note'],
        ['Ocean', 42],
        ['River; "wide"', 7],
      ],
      B: [['x']],
    }),
  }
  expect(await decide({ type: 'csv', path: 'r.xlsx', ...check }, files)).toMatchObject({ passed })
})

test('the JSON of a notebook is read by json_path', async () => {
  const files = { 'a.ipynb': makeNotebook('x = 1', '1') }
  expect(await decide({ type: 'json_path', path: 'a.ipynb', query: '$.nbformat', equals: 4 }, files)).toMatchObject({
    passed: true,
  })
})

const [composed, decomposed] = ['caf\u00e9 total', 'cafe\u0301 total']
const ways: [string, string][] = [
  [composed, decomposed],
  [decomposed, composed],
]
describe.each(ways)('Unicode: %j in %j', (wanted, given) => {
  test.each([
    [{ type: 'contains', value: wanted }, true],
    [{ type: 'not_contains', value: wanted }, false],
    [{ type: 'regex', pattern: `^${wanted}` }, true],
    [{ type: 'equals', value: wanted }, true],
    [{ type: 'similarity', value: wanted, at_least: 1 }, true],
    [{ type: 'similarity', value: wanted, at_least: 1, algorithm: 'levenshtein' }, true],
    [{ type: 'contains', value: 'cafe total' }, false],
  ])('%j: %s', async (check, passed) => {
    expect(await decide({ ...check, path: 'a.txt' }, { 'a.txt': given })).toMatchObject({ passed })
  })
  test('in JSON, CSV and a list of outputs', async () => {
    const files = { 'a.json': JSON.stringify({ [given]: [given] }), 'a.csv': `${given},n\n${given},1\n` }
    const cells = [{ where: { [wanted]: wanted }, column: 'n', equals: 1 }]
    expect(await decide({ type: 'equals', path: 'a.json', value: { [wanted]: [wanted] } }, files)).toMatchObject({
      passed: true,
    })
    const query = `$['${wanted}'][0]`
    expect(await decide({ type: 'json_path', path: 'a.json', query, equals: wanted }, files)).toMatchObject({
      passed: true,
    })
    expect(await decide({ type: 'csv', path: 'a.csv', columns: [wanted], cells }, files)).toMatchObject({
      passed: true,
    })
    expect(await decide({ type: 'contains', target: 'outputs', value: wanted }, files)).toMatchObject({ passed: true })
  })
})

test.each([
  ['UTF-16', Buffer.from('\ufeffcafé: 42', 'utf16le')],
  ['Latin-1', Buffer.from('café: 42', 'latin1')],
])('%s is searched', async (_, bytes) => {
  for (const where of [{ path: 'a.txt' }, { target: 'outputs' }]) {
    expect(await decide({ type: 'contains', value: 'café', ...where }, { 'a.txt': bytes })).toMatchObject({
      passed: true,
    })
    expect(await decide({ type: 'not_contains', value: 'café', ...where }, { 'a.txt': bytes })).toMatchObject({
      passed: false,
    })
  }
})

describe('a document is read once in a grading', () => {
  test.each([
    { type: 'contains', value: 'Ocean', path: 'a.xlsx' },
    { type: 'contains', value: 'Ocean', target: 'outputs' },
    { type: 'equals', value: '# Sheet: Summary\nOcean', path: 'a.xlsx' },
    { type: 'cell', path: 'a.xlsx', cell: 'a1', equals: 'Ocean' },
    { type: 'csv', path: 'a.xlsx', columns: ['Ocean'] },
  ])('%j', async (given) => {
    const check = checkSchema.parse(given)
    const scene = await sceneWith({ 'a.xlsx': await makeWorkbook({ Summary: [['Ocean']] }) })
    expect(await decideCheck(check, scene)).toMatchObject({ passed: true })
    await writeFile(join(scene.outputsFolder, 'a.xlsx'), await makeWorkbook({ Summary: [['Desert']] }))
    expect(await decideCheck(check, scene)).toMatchObject({ passed: true })
    const other = { ...scene, documents: createDocumentReads() }
    expect(await decideCheck(check, other)).toMatchObject({ passed: false })
  })
})
