/** An AAM package from its files to the report, with commands as agent and judge: a folder for each case that is gone at the end, no judge after a failed check, where reports are. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { writeEvalReports } from '../../../src/flows/eval/write_reports.ts'
import { evaluated } from '../../flows/eval/evaluate.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'
import { config, plain } from './aam_package.ts'

const verdict = { verdicts: [{ n: 1, passed: true, evidence: 'final response: /' }] }
const two = plain.replace('one', 'two')
const files = {
  'package.agent.json': '{"name":"@o/p","version":"1.2.3","description":"d"}',
  'evals/eval-config.json': JSON.stringify(config),
  'evals/cases/one.yaml': plain,
  'evals/cases/two.yaml': two,
}

/** The agent says in which folder it is, and the judge passes what it is asked. */
async function ran(more: Record<string, string> = {}) {
  const folder = folderOf({ ...files, ...more })
  const answer = path.join(folderOf({ 'answer.json': JSON.stringify(verdict) }), 'answer.json')
  const result = await evaluated(folder, { engine: 'command:pwd', judge: `command:cat ${answer}` })
  return { folder, result }
}

test('each case is run in a temporary folder of its own and judged; the folders are gone at the end', async () => {
  const { folder, result } = await ran()
  expect(result.cases.map(({ verdict, judge }) => [verdict, judge?.result])).toEqual([
    ['pass', 'pass'],
    ['pass', 'pass'],
  ])
  const places = result.cases.map(({ output_snippet }) => output_snippet.trim())
  expect(new Set(places).size).toBe(2)
  for (const place of places) {
    expect(place).toMatch(/^\/.*\/work$/)
    expect(place.startsWith(folder)).toBe(false)
    expect(existsSync(path.dirname(place))).toBe(false)
  }
})

test('a failed check ends the case: no judge is asked', async () => {
  const { result } = await ran({ 'evals/cases/two.yaml': `${two}expected: { contains: [not there] }\n` })
  expect(result.cases.map(({ verdict, judge }) => [verdict, judge?.result ?? null])).toEqual([
    ['pass', 'pass'],
    ['fail', null],
  ])
})

test('a report is evals/reports/<timestamp>.json, or the file that -o names', async () => {
  const { folder, result } = await ran()
  const output = path.join(folder, 'report.json')
  const written = [...(await writeEvalReports([result], null, {})), ...(await writeEvalReports([result], output, {}))]
  expect(written.map((file) => path.relative(folder, file))).toEqual([
    expect.stringMatching(/^evals\/reports\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.json$/),
    'report.json',
  ])
  for (const file of written) expect(JSON.parse(readFileSync(file, 'utf8')).summary).toMatchObject({ passed: 2 })
})
