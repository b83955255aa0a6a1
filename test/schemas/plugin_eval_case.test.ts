/** schemas/json/plugin_eval_case.schema.json refuses what `check` calls an error or a warning in a case.yaml, and takes what is read. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { checkSkill } from '../../src/phases/1-plan/check/check_skill.ts'
import { folderOf, skillText } from '../phases/1-plan/folder.ts'

const top = new URL('../../', import.meta.url).pathname
const written = readFileSync(path.join(top, 'schemas/json/plugin_eval_case.schema.json'), 'utf8')
const fits = new Ajv2020({ strict: false }).compile(JSON.parse(written))

const llm = { type: 'llm', criteria: 'The sum is named' }
const caseOf = (change: object): object =>
  JSON.parse(JSON.stringify({ schema_version: '1.0', execution: { prompt: 'Add up' }, graders: [llm], ...change }))
const graded = (...graders: object[]) => caseOf({ graders: [llm, ...graders] })
const regex = (more: object) => graded({ type: 'regex', pattern: 'x', ...more })
const execution = (more: object) => caseOf({ execution: { prompt: 'p', ...more } })
const file = (path: string) => ({ source: 'file', path })
const used = (more: object) => graded({ type: 'tool_used', tool: 'Bash', ...more })
const ordered = (more: object) => graded({ type: 'tool_order', before: 'Read', after: 'Write', ...more })

/** JSON is YAML. */
async function rulesBroken(file: object): Promise<string[]> {
  const skill = folderOf({ 'SKILL.md': skillText, 'evals/a/case.yaml': JSON.stringify(file), 'evals/s.sh': 'true' })
  const { problems } = await checkSkill(skill)
  const told = problems.filter(({ severity, rule }) => severity !== 'info' && !/^(suite-small|name-folder)$/.test(rule))
  return told.map(({ rule }) => rule)
}

test.each<[string, object, object]>([
  ['not-read', caseOf({ schema_version: undefined }), caseOf({})],
  ['not-read', caseOf({ schema_version: 1 }), caseOf({ schema_version: '1' })],
  ['not-read', caseOf({ schema_version: '2.0' }), caseOf({ schema_version: '1.3' })],
  ['not-read', caseOf({ runs: 3 }), caseOf({ tags: ['a'], description: 'd', name: null })],
  ['not-read', execution({ max_turns: 3 }), execution({ timeout_seconds: 3 })],
  ['field-misspelt', caseOf({ promt: 'p' }), caseOf({ execution: null, prompt: 'p' })],
  [
    'case-cannot-run',
    caseOf({ context: { conversation_history: 'Add up' } }),
    caseOf({ context: { scaffold_script: '../s.sh', conversation_history: [{ role: 'user', content: 'Hi' }] } }),
  ],
  ['case-cannot-run', graded({ criteria: 'x' }), graded({ type: 'llm', criteria: 'x' })],
  ['case-cannot-run', graded({ type: 'llm' }), graded({ type: 'llm', criteria: 'x', arm: 'with-only' })],
  [
    'case-cannot-run',
    graded({ type: 'llm', criteria: 'x', weight: -2 }),
    graded({ type: 'llm', criteria: 'x', weight: 1 }),
  ],
  ['not-read', graded({ type: 'baseline' }), graded({ type: 'file_exists', path: 'x', exists: false })],
  ['case-cannot-run', graded({ type: 'file_exists' }), graded({ type: 'file_exists', path: 'x' })],
  ['case-cannot-run', graded({ type: 'file_exists', path: '/x' }), graded({ type: 'file_exists', path: './x' })],
  ['case-cannot-run', graded({ type: 'file_exists', path: '../x' }), graded({ type: 'file_exists', path: '..x/*' })],
  ['case-cannot-run', regex({ target: file('a/../../x') }), regex({ target: file('a/x') })],
  ['case-cannot-run', caseOf({ graders: llm }), caseOf({ graders: [llm] })],
  ['case-cannot-run', caseOf({ timeout_seconds: '30' }), caseOf({ timeout_seconds: 30 })],
  ['case-cannot-run', caseOf({ timeout_seconds: -1 }), caseOf({ timeout_seconds: null })],
  ['case-cannot-run', caseOf({ prompt: 'p', execution: 'foo' }), caseOf({ prompt: 'p', execution: {} })],
  ['case-cannot-run', caseOf({ context: [] }), caseOf({ context: {} })],
  ['not-read', caseOf({ name: 5 }), caseOf({ name: '5' })],
  ['case-cannot-run', caseOf({ expected_outcome: 42 }), caseOf({ expected_outcome: '42' })],
  ['prompt-empty', caseOf({ execution: { prompt: 5 } }), caseOf({ execution: { prompt: '5' } })],
  ['prompt-empty', caseOf({ execution: null, prompt: ['p'] }), caseOf({ execution: null, prompt: 'p' })],
  ['case-cannot-run', caseOf({ context: { scaffold_script: 5 } }), caseOf({ context: { scaffold_script: null } })],
  ['case-cannot-run', regex({ pattern: undefined }), regex({})],
  ['not-read', regex({ target: 'trace' }), regex({ target: 'last_message' })],
  ['case-cannot-run', regex({ target: 'file:x' }), regex({ target: { source: 'file', path: 'x' } })],
  ['case-cannot-run', regex({ match: 'count' }), regex({ match: 'not_contains' })],
  ['not-read', regex({ flags: 'y' }), regex({ flags: 'gi' })],
  ['case-cannot-run', used({ tool: undefined }), used({})],
  ['not-read', used({ tool: 'mcp__*' }), used({ tool: 'mcp__a__b', input_match: 'x' })],
  ['case-cannot-run', used({ min: -1 }), used({ min: 0, max: 2 })],
  ['not-read', used({ input: 'x' }), used({ arm: 'both' })],
  ['case-cannot-run', ordered({ after: undefined }), ordered({})],
  ['case-cannot-run', ordered({ before: ['Read'] }), ordered({ before: { tool: 'Read' } })],
  [
    'case-cannot-run',
    ordered({ after: { tool: 'A', input: 'x' } }),
    ordered({ after: { tool: 'A', input_match: 'x' } }),
  ],
  ['not-read', ordered({ before: 'mcp__*' }), ordered({ before: 'mcp__a__b' })],
  ['not-read', ordered({ last: 'Edit' }), ordered({ arm: 'both' })],
])('%s: %j', async (rule, wrong, right) => {
  expect([(await rulesBroken(wrong)).includes(rule), fits(wrong)]).toEqual([true, false])
  expect([await rulesBroken(right), fits(right), fits.errors]).toEqual([[], true, null])
})
