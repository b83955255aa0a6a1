/** docs/reference/evals-json.md: its example and every field and check that it shows are what the loader reads. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { loadCase, loadEvals } from './folder.ts'

const page = readFileSync(new URL('../../../docs/reference/evals-json.md', import.meta.url), 'utf8')
const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
const checks = [...page.matchAll(/`(\{ "type": "\w+".*?\})` +\|/g)].map(([, text = '']) => text)
const fields = [...page.matchAll(/^\| `(checks|reference|timeout|setup|eval_key)` +\| `(.*?)` +\|/gm)].map((row) =>
  row.slice(1),
)

describe('what the page shows is read', () => {
  test('the example, without a warning', async () => {
    const { cases, warnings } = await loadEvals(example, { 'evals/files/march.csv': '' })
    expect(cases).toMatchObject([{ eval_id: 1, eval_name: 'march', cannot_run: null }])
    expect(warnings).toEqual([])
  })
  test('there are checks and fields to look at', () => expect([checks.length, fields.length]).toEqual([31, 5]))
  test.each(checks)('%s', async (text) => {
    const programs = { 'evals/bin/gh.yaml': '- args: "*"\n  stdout: x\n' } // for program_called
    const read = await loadCase({ id: 1, prompt: 'p', checks: [JSON.parse(text)] }, programs)
    expect(read.case.checks).toEqual([JSON.parse(text)])
  })
  test.each(fields)('%s: %s', async (field = '', text = '') => {
    const read = await loadCase({ id: 1, prompt: 'p', expectations: ['e'], [field]: JSON.parse(text) })
    const name = field === 'timeout' ? 'timeout_seconds' : field
    expect(read.case).toMatchObject({ [name]: JSON.parse(text) })
    expect(read.warnings).toEqual([])
  })
})

describe('every check is on the pages', () => {
  const judges = readFileSync(new URL('../../../docs/reference/checks.md', import.meta.url), 'utf8')
  test.each(checkSchema.options.map((option) => option.shape.type.value))('%s', (type) => {
    expect(judges).toMatch(new RegExp(`^\\| \`${type}\` +\\|`, 'm'))
    // a verifier belongs to a Harbor task
    expect(checks.filter((text) => JSON.parse(text).type === type)).toHaveLength(type === 'verifier' ? 0 : 1)
  })
})
