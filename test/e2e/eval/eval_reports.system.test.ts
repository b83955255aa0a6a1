/** Reports of eval: what really ran, a file of its own each, and diff over them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { evalDiff, evalTrend } from '../../../schemas/eval_diff.ts'
import { evalReport } from '../../../schemas/eval_report.ts'
import { writeEvalReports } from '../../../src/flows/eval/write_reports.ts'
import { runMain } from '../../cli/run_main.ts'
import { copyOfExample, evaluated } from './aam.ts'

const sdk = ['--engine', 'anthropic:practice-1', '--sandbox', 'off', '--report']
const reportsOf = (folder: string) => {
  const home = path.join(folder, 'evals/reports')
  return readdirSync(home)
    .sort()
    .map((name) => path.join(home, name))
}
const read = (file: string) => evalReport.parse(JSON.parse(readFileSync(file, 'utf8')))

describe('--report', () => {
  test('has the fields of the reference, from what really ran', async () => {
    const folder = copyOfExample((replace) =>
      replace(
        'evals/cases/open-book.yaml',
        'files-created:\n    - open/april.csv',
        'files-created:\n    - open/may.csv',
      ),
    )
    const ran = await evaluated(folder, sdk)
    const [file = ''] = reportsOf(folder)
    const report = read(file)
    expect(ran.end.stdout).toContain('report ')
    expect(path.basename(file)).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.json$/)
    expect(report.id).toBe(`eval-run-${path.basename(file, '.json')}`)
    expect(report).toMatchObject({
      version: 1,
      config: { engine: 'anthropic', engine_version: expect.stringMatching(/\d/), judge: 'practice-1', timeout: 120 },
      agent: { runtime: 'anthropic', model: 'practice-1', session_id: expect.stringMatching(/-/) },
      environment: { os: process.platform, arch: os.machine(), aam_version: null, node_version: process.versions.node },
      package: { name: '@whetstone/ledger', version: '1.0.0' },
      summary: { total: 4, passed: 3, failed: 1, skipped: 0, pass_rate: 0.75 },
    })
    const [audit, closed, open] = report.cases
    expect(audit).toMatchObject({
      target: 'agent:auditor',
      verdict: 'PASS',
      judge_verdict: { result: 'PASS', reason: expect.stringContaining('AUDIT'), model: 'practice-1' },
    })
    expect(closed?.deterministic_checks).toEqual({ not_contains: 'PASS', agent_blocked: 'PASS' })
    expect(open).toMatchObject({ verdict: 'FAIL', error: expect.stringContaining('open/may.csv') })
    expect(open?.deterministic_checks).toEqual({ files_created: 'FAIL', agent_blocked: 'PASS' })
  })
  test('two of the same second are two files', async () => {
    const folder = copyOfExample()
    const ran = await evaluated(folder, [...sdk, 'audit'])
    const result = ran.result()
    const more = await Promise.all([1, 2, 3].map(() => writeEvalReports([result], null, process.env)))
    expect(new Set([...more.flat(), ...reportsOf(folder)]).size).toBe(4)
    expect(new Set(reportsOf(folder).map((file) => read(file).id)).size).toBe(4)
  })
})

test('diff on two reports: what regressed, what was not the same, and --fail-on', async () => {
  const folder = copyOfExample()
  await evaluated(folder, [...sdk, 'audit', 'closed-book'])
  const [file = ''] = reportsOf(folder)
  const report = read(file)
  const [first, second] = report.cases
  const worse = path.join(path.dirname(file), '2030-01-01T00-00-00Z.json')
  const cases = [
    { ...first, verdict: 'FAIL', error: 'it broke' },
    { ...second, name: 'new' },
  ]
  const summary = { ...report.summary, passed: 1, failed: 1, pass_rate: 0.5 }
  const agent = { ...report.agent, model: 'practice-2' }
  const later = { ...report, id: 'x', timestamp: '2030-01-01T00:00:00Z', agent, summary, cases }
  writeFileSync(worse, JSON.stringify(later))
  const diff = evalDiff.parse(JSON.parse((await runMain(['diff', file, worse, '--json'])).stdout))
  expect(diff.provenance).toEqual([{ what: 'model', before: 'practice-1', after: 'practice-2' }])
  expect(diff.cases.map((one) => [one.name, one.before, one.after, one.change])).toEqual([
    ['audit', 'PASS', 'FAIL', 'regressed'],
    ['new', null, 'PASS', 'other'],
    ['closed-book', 'PASS', null, 'other'],
  ])
  const said = await runMain(['diff', file, worse, '--fail-on', 'regression'])
  expect([said.code, said.stdout]).toEqual([1, expect.stringMatching(/1 regressed, 0 fixed[\s\S]*it broke/)])
  expect((await runMain(['diff', worse, file, '--fail-on', 'regression'])).code).toBe(0)
  const trend = evalTrend.parse(JSON.parse((await runMain(['diff', folder, '--json'])).stdout))
  expect(trend.reports.map(({ pass_rate }) => pass_rate)).toEqual([1, 0.5])
})
