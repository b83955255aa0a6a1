/** diff on files of reports: one that is none is named with its reason, whichever it is; a trend goes on without it. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { diff } from '../../../src/features/diff/diff.ts'
import { diffEvals, evalTrendHeadline, readEvalTrend } from '../../../src/features/diff/eval_reports.ts'
import { contextAt } from '../../flows/eval/evaluate.ts'
import { folderOf, userError } from '../../phases/1-plan/folder.ts'

const report = (timestamp: string, passed: number) =>
  JSON.stringify({
    ...{ version: 1, id: timestamp, timestamp, duration_seconds: 1 },
    config: { engine: 'codex' },
    agent: { runtime: 'codex' },
    environment: {},
    package: { name: 'p' },
    summary: { total: 2, passed, failed: 2 - passed, skipped: 0, pass_rate: passed / 2 },
    cases: [{ name: 'a', verdict: 'PASS' }],
  })
const files = {
  'evals/reports/2026-01-02T00-00-00Z.json': report('2026-01-02T00:00:00Z', 2),
  'evals/reports/2026-01-01T00-00-00Z.json': report('2026-01-01T12:00:00+12:00', 1),
  'evals/reports/2026-01-03T00-00-00Z.json': '{',
  'evals/reports/2026-01-04T00-00-00Z.json': '{"version":1}',
  'good.json': report('2026-01-02T00:00:00Z', 2),
  'benchmark.json': '{}',
}

test('where one report asked no judge, the judges that were wished for are compared', async () => {
  const judged = (config: string, model: string | null) => {
    const made = JSON.parse(report('2026-01-02T00:00:00Z', 2))
    return JSON.stringify({ ...made, config: { engine: 'codex', judge: config }, judge: { model } })
  }
  const root = folderOf({
    'a.json': judged('anthropic', 'claude-x'),
    'b.json': judged('anthropic', null),
    'c.json': judged('anthropic', 'claude-y'),
  })
  const judges = async (name: string) =>
    (await diffEvals(path.join(root, 'a.json'), path.join(root, name)))?.provenance.map(({ before, after }) => [
      before,
      after,
    ])
  expect(await judges('b.json')).toEqual([])
  expect(await judges('c.json')).toEqual([['claude-x', 'claude-y']])
})

describe('two files', () => {
  test.each([
    ['evals/reports/2026-01-03T00-00-00Z.json', /03T00-00-00Z\.json:1:2: not valid JSON/],
    ['evals/reports/2026-01-04T00-00-00Z.json', /04T00-00-00Z\.json: \$\.id: /],
    ['gone.json', /gone\.json: no such file/],
    ['evals', /evals: not a JSON file/],
  ])('a report and %s: that one is named', async (name, message) => {
    const root = folderOf(files)
    const [good, other] = [path.join(root, 'good.json'), path.join(root, name)]
    await expect(diffEvals(good, other)).rejects.toThrow(message)
    await expect(diffEvals(other, good)).rejects.toThrow(message)
  })
  test('control: two reports, and none', async () => {
    const root = folderOf(files)
    const good = path.join(root, 'good.json')
    expect(await diffEvals(good, good)).toMatchObject({ provenance: [], cases: [{ name: 'a', change: 'same' }] })
    expect(await diffEvals(path.join(root, 'benchmark.json'), path.join(root, 'benchmark.json'))).toBeNull()
  })
})

test('a trend of a package is in order of time, whatever the offset; what is no report is left out, with its reason', async () => {
  const trend = await readEvalTrend([folderOf(files)])
  expect(trend?.reports.map((one) => [one.id, one.pass_rate])).toEqual([
    ['2026-01-01T12:00:00+12:00', 0.5],
    ['2026-01-02T00:00:00Z', 1],
  ])
  expect(trend?.left_out.map(({ message }) => message)).toEqual([
    expect.stringContaining('not valid JSON'),
    expect.stringContaining('$.id'),
  ])
  expect(evalTrendHeadline({ reports: trend?.reports ?? [], left_out: [] })).toBe(
    '2 reports: 1 of 2 (50%) at first, 2 of 2 (100%) now',
  )
  expect(await readEvalTrend([folderOf({ 'a.txt': '' })])).toBeNull()
})

test('a file that is no benchmark is told its mistakes and what is wanted', async () => {
  const file = path.join(folderOf(files), 'benchmark.json')
  const error = await userError(diff({ before: file, after: file, arm: 'candidate' }, contextAt()))
  expect(error.message).toMatch(/benchmark\.json: \$\.metadata: /)
  expect(error.fix).toBe('pass a benchmark.json written by bench or aggregate')
})
