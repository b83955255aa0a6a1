/** schemas/json/evals.schema.json: an editor that holds a suite against it sees what `check` calls an error or a warning, as far as JSON Schema can say it. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { authoredEvals } from '../../schemas/authored_evals.ts'
import { evalsFile } from '../../schemas/evals.ts'
import { checkSkill } from '../../src/phases/1-plan/check/check_skill.ts'
import { loadEvals, skillWith, userError } from '../phases/1-plan/folder.ts'

const top = new URL('../../', import.meta.url).pathname
const written = readFileSync(path.join(top, 'schemas/json/evals.schema.json'), 'utf8')
const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(written))

/** A file with this one case; undefined takes a field out. */
const caseOf = (change: object) => ({
  skill_name: 'sums',
  evals: [{ id: 1, prompt: 'p', expectations: ['x'], ...change }],
})
const checksOf = (...checks: object[]) => caseOf({ checks })
const turnsOf = (expectation: object) => caseOf({ turns: ['And then?'], expectations: [expectation] })
const unjudged = { expectations: undefined }
const rubric = { dimensions: [{ name: 'accuracy', weight: 1 }] }
const indicator = { text: 'The skill is named', indicator: true }
const range = (count: object) => checksOf({ type: 'file_count', path: '*.png', count })
const server = (one: object) => caseOf({ environment: { mcp_servers: { tickets: one } } })
const environment = (one: object) => caseOf({ environment: one })
const around = (one: object) => ({ ...caseOf({}), environment: one })
const reference = (files: object) => caseOf({ reference: { files } })
const check = (type: string, more: object) => checksOf({ type, ...more })
const alike = (more: object) => check('similarity', { at_least: 1, ...more })
const changed = { type: 'file_modified', path: 'x' }
const schemaFile = { file: 'evals/s.json' }
const inputs = { 'evals/a.csv': '', 'evals/b.csv': '', 'evals/a.md': '', 'evals/x.bundle': '' }
const files = { ...inputs, 'evals/s.json': '{}', 'evals/hooks.json': '{}', 'evals/mcp.json': '{}' }

/** Errors and warnings, but for what a suite of one case always gets. */
async function rulesBroken(suite: unknown): Promise<string[]> {
  const { problems } = await checkSkill(skillWith(suite, files))
  const told = problems.filter(({ severity, rule }) => severity !== 'info' && !/^(suite-small|name-folder)$/.test(rule))
  return [...new Set(told.map(({ rule }) => rule))]
}

describe('what check complains of the schema refuses, and what is mended both accept', () => {
  test.each<[string, object, object]>([
    ['suite-unreadable', { skill_name: 'sums', evals: [] }, caseOf({})],
    ['prompt-empty', caseOf({ prompt: undefined }), caseOf({})],
    ['prompt-empty', caseOf({ prompt: ' \n' }), caseOf({ prompt: ' p\n' })],
    ['criteria-missing', caseOf(unjudged), caseOf({ ...unjudged, assertions: ['x'] })],
    ['criteria-missing', caseOf({ expectations: [], checks: [] }), checksOf({ type: 'contains', value: 'x' })],
    ['criteria-missing', caseOf({ ...unjudged, expected_output: ' ' }), caseOf({ ...unjudged, rubric })],
    ['criteria-missing', { ...caseOf({ ...unjudged, rubric: false }), rubric }, { ...caseOf(unjudged), rubric }],
    ['criteria-missing', caseOf({ ...unjudged, rubric: null }), { ...caseOf({ ...unjudged, rubric: null }), rubric }],
    ['case-cannot-run', caseOf({ assertions: [1] }), caseOf({ assertions: ['y'] })],
    ['not-read', caseOf({ expectations: ['x', null] }), caseOf({ expectations: ['x', { ...indicator }] })],
    [
      'not-read',
      caseOf({ expectations: ['x', ' '] }),
      caseOf({ expectations: ['x', { ...indicator, indicator: false }] }),
    ],
    ['not-read', caseOf({ files: [null] }), caseOf({ files: null })],
    ['not-read', { skill_name: 'sums', evals: [...caseOf({}).evals, null] }, caseOf({})],
    ['input-escapes', caseOf({ files: ['../x'] }), caseOf({ files: ['evals/a.csv'] })],
    ['input-escapes', caseOf({ files: ['a/../../x'] }), caseOf({ files: ['./evals/a.csv'] })],
    ['input-escapes', reference({ '../x': '' }), reference({ 'x/y': '' })],
    ['input-escapes', reference({ '/x': '' }), reference({ x: '' })],
    ['input-escapes', caseOf({ files: ['/etc/hostname'] }), caseOf({ files: ['evals/a.csv'] })],
    ['input-escapes', caseOf({ git: { bundle: '../x.bundle' } }), caseOf({ git: { bundle: 'evals/x.bundle' } })],
    ['input-escapes', caseOf({ git: { bundle: '/x.bundle' } }), caseOf({ git: { bundle: './evals/x.bundle' } })],
    ['input-escapes', environment({ hooks: '../x.json' }), environment({ hooks: 'evals/hooks.json' })],
    ['input-escapes', environment({ hooks: '/x.json' }), environment({ hooks: {} })],
    ['input-escapes', environment({ mcp_servers: 'a/../../x.json' }), environment({ mcp_servers: 'evals/mcp.json' })],
    ['input-escapes', environment({ mcp_servers: '/x.json' }), environment({ mcp_servers: {} })],
    ['input-escapes', around({ hooks: '/x.json' }), around({ hooks: {} })],
    ['own-field', check('json_schema', { file: '../s.json' }), check('json_schema', { file: './evals/s.json' })],
    ['own-field', alike({ file: '/x' }), alike({ file: 'evals/hooks.json' })],
    ['skill-md-as-input', caseOf({ files: ['./SKILL.md'] }), caseOf({ files: ['evals/a.csv', 'evals/b.csv'] })],
    ['case-cannot-run', caseOf({ files: ['.'] }), caseOf({ files: [] })],
    ['case-cannot-run', turnsOf({ text: 'x', turn: 0 }), turnsOf({ text: 'x', turn: 2 })],
    ['input-escapes', environment({ rules: ['../x.md'] }), environment({ rules: ['evals/a.md'] })],
    ['check-cannot-pass', checksOf(changed), check('file_exists', { path: 'x' })],
    [
      'check-cannot-pass',
      caseOf({ checks: [changed], git: true }),
      caseOf({ checks: [changed], files: ['evals/a.csv'] }),
    ],
    ['own-field', checksOf({ type: 'contains' }), checksOf({ type: 'contains', value: 'x' })],
    ['own-field', checksOf({ type: 'holds', value: 'x' }), caseOf({ checks: null })],
    ['own-field', check('contains', { value: 'x', path: '/x' }), check('regex', { pattern: 'x', path: 'x' })],
    ['own-field', checksOf({ type: 'file_exists', path: '../x' }), checksOf({ type: 'file_exists', path: '*.x' })],
    ['own-field', checksOf({ type: 'csv', path: 'x' }), checksOf({ type: 'csv', path: 'x', columns: ['a'] })],
    ['own-field', checksOf({ type: 'json_schema', path: 'x' }), checksOf({ type: 'json_schema', schema: true })],
    ['own-field', check('json_schema', { schema: true, ...schemaFile }), check('json_schema', schemaFile)],
    ['own-field', alike({}), alike({ value: 'x' })],
    ['own-field', check('equals', { value: 1, ignore_case: true }), check('equals', { value: 'x', ignore_case: true })],
    ['own-field', check('equals', { value: 'x', tolerance: 1 }), check('equals', { value: 1, tolerance: 1 })],
    ['own-field', range({}), range({ min: 1, max: 2 })],
    ['own-field', range({ equals: 1, max: 1 }), range({ equals: 1 })],
    ['own-field', check('script_executed', { indicator: false }), check('script_executed', { indicator: true })],
    ['own-field', server({}), server({ command: 'node' })],
    ['own-field', caseOf({ timeout: 0 }), caseOf({ timeout: 90 })],
    ['own-field', caseOf({ git: 'main' }), caseOf({ git: true })],
    ['own-field', caseOf({ reference: { text: 'x' } }), caseOf({ reference: { answer: 'x' } })],
    ['own-field', { ...caseOf({}), sandbox: { network: 'all' } }, { ...caseOf({}), sandbox: { network: 'none' } }],
  ])('%s: %j', async (rule, wrong, right) => {
    const [bad, good] = [JSON.parse(JSON.stringify(wrong)), JSON.parse(JSON.stringify(right))]
    expect({ said: (await rulesBroken(bad)).includes(rule), fits: fits(bad) }).toEqual({ said: true, fits: false })
    expect([await rulesBroken(good), fits(good), fits.errors]).toEqual([[], true, null])
  })

  // check has no word for it but an info: "the same file again; it counts once"
  test.each([{ files: ['evals/a.csv', 'evals/a.csv'] }, { expectations: ['x', 'x'] }])('twice in a list: %j', (lists) =>
    expect(fits(caseOf(lists))).toBe(false),
  )
})

const optional = ['id', 'eval_key', 'name', 'title', 'expected_output', 'files', 'assertions', 'checks', 'rubric']
const own = ['reference', 'turns', 'end_when', 'user', 'timeout', 'setup', 'git', 'environment', 'review']
test.each([...optional, ...own])('null is the same as absent: %s', async (field) => {
  const suite = caseOf({ [field]: null })
  expect([await rulesBroken(suite), fits(suite), fits.errors]).toEqual([[], true, null])
})

const pages = readdirSync(path.join(top, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
)
const shown = pages.flatMap((page) =>
  [...readFileSync(path.join(top, 'docs', page), 'utf8').matchAll(/```json\n([\s\S]*?)```/g)].flatMap(
    ([, text = '']) => (text.includes('"evals"') ? [[page, text] as const] : []),
  ),
)
const sound = [
  ...['workspaces/example/invoice-totals/evals/evals.json', 'skills/whetstone/evals/evals.json'],
  'test/schemas/fixtures/evals.json',
].map((name) => [name, readFileSync(path.join(top, name), 'utf8')] as const)

test('the pages show suites', () => expect(shown.map(([page]) => page)).toContain('reference/evals-json.md'))
test.each([...shown, ...sound])('a suite that is right: %s', (_, text) => {
  const suite: unknown = JSON.parse(text)
  expect([fits(suite), fits.errors, authoredEvals.safeParse(suite).success]).toEqual([true, null, true])
})

const page = readFileSync(path.join(top, 'docs/reference/evals-json.md'), 'utf8')
test.each([...page.matchAll(/`(\{ "type": "\w+".*?\})` +\|/g)].map(([, text = '']) => text))('a check: %s', (text) => {
  const suite = caseOf({ checks: [JSON.parse(text)], files: ['ledger.csv'] })
  expect([fits(suite), fits.errors]).toEqual([true, null])
})

test('the loader does not ask it: a sloppy file is read', async () => {
  const sloppy = { evals: [{ task: 'p', assertions: [1, 'x', 'x'], files: [null] }] }
  expect(fits(sloppy)).toBe(false)
  expect((await loadEvals(sloppy)).cases).toMatchObject([{ prompt: 'p', expectations: [{ text: 'x' }], files: [] }])
})

test('a suite has at least one case, by the loader too', async () => {
  const none = { skill_name: 'sums', evals: [] }
  expect((await userError(loadEvals(none))).message).toContain('$.evals is an empty list')
  expect(evalsFile.safeParse(none).success).toBe(false)
})
