/** Where eval writes besides its results: looked at before anything is paid for, and what fails late costs no verdict. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EvalRequest } from '../../../src/flows/eval/eval_request.ts'
import { writeEvalReports } from '../../../src/flows/eval/write_reports.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'
import { contextAt, evaluated } from './evaluate.ts'

const golden = {
  'ledger/persona/IDENTITY.md': 'You are Ledger.',
  'ledger/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
  'ledger/evals/judge.md': '---\naudit_sample_pct: 1\n---\n{agent_response}\n',
  'ledger/evals/golden/happy/001.md': '---\ntest_id: 001_a\ncategory: happy\n---\n## Input\nRent?\n',
  'answer.json': '{"care": {"score": 5}}',
}
const aam = {
  'package.agent.json': '{"name":"p","version":"1.0.0"}',
  'evals/eval-config.json': '{"version":1,"engine":"claude-code"}',
  'evals/cases/a.yaml':
    'name: a\ninput: { prompt: Hi, files: [fixtures/a.csv] }\nexpected: { contains: [yes] }\njudge: { criteria: x }\n',
  'evals/fixtures/a.csv': 'a',
}
const own = {
  'SKILL.md': skillText,
  'evals/evals.json': '[{"id":1,"prompt":"x","checks":[{"type":"contains","value":"yes"}]}]',
}
const noon = contextAt(() => new Date(2026, 4, 6, 12))
const day = '2026-05-06.jsonl'

/** An agent that leaves a line each time it is started, does what is asked of it, and says yes. */
function agentIn(folder: string, script = '') {
  const [file, log] = [path.join(folder, 'agent.sh'), path.join(folder, 'started.log')]
  writeFileSync(file, `#!/bin/sh\necho x >> ${log}\n${script}\necho yes\n`, { mode: 0o755 })
  const starts = () => (existsSync(log) ? readFileSync(log, 'utf8').length / 2 : 0)
  return { engine: `command:${file}`, judge: `command:cat ${path.join(folder, 'answer.json')}`, starts }
}

describe('golden tests are not run where their lines can not be left', () => {
  const runs = 'ledger/evals/runs'
  const broken: [string, (folder: string) => void, string][] = [
    ['runs is a file', (folder) => writeFileSync(path.join(folder, runs), ''), 'runs is not a folder'],
    [
      'runs leads out of the agent',
      (folder) => symlinkSync(mkdtempSync(path.join(tmpdir(), 'out-')), path.join(folder, runs)),
      'runs: a link leads out of',
    ],
    [
      'the lines of the day are a folder',
      (folder) => mkdirSync(path.join(folder, runs, day), { recursive: true }),
      `${day} is not a file`,
    ],
    [
      'the sample leads out',
      (folder) => {
        mkdirSync(path.join(folder, runs))
        symlinkSync('/etc/hostname', path.join(folder, runs, 'audit_log.jsonl'))
      },
      'audit_log.jsonl: a link leads out of',
    ],
  ]
  test.each(broken)('%s', async (_, breakIt, said) => {
    const folder = folderOf(golden)
    breakIt(folder)
    const { starts, ...wish } = agentIn(folder)
    const error = await userError(evaluated(path.join(folder, 'ledger'), wish, noon))
    expect(error.message).toContain(said)
    expect(error.fix).toContain('make it writable')
    expect(starts()).toBe(0)
  })
  test('what fails only then keeps the verdicts; the same command writes the lines and runs nothing', async () => {
    const folder = folderOf(golden)
    const place = path.join(folder, runs)
    const { starts, ...wish } = agentIn(folder, `rm -rf ${place}; touch ${place}`)
    const start = () => evaluated(path.join(folder, 'ledger'), wish, noon)
    const first = await start()
    expect(first.cases.map(({ verdict }) => verdict)).toEqual(['pass'])
    expect(first.golden?.unwritten).toMatch(/EEXIST|ENOTDIR/)
    unlinkSync(place)
    const again = await start()
    expect(again.golden?.unwritten).toBeUndefined()
    expect(again.folder).toBe(first.folder)
    expect(readFileSync(path.join(place, day), 'utf8').trim().split('\n')).toHaveLength(1)
    expect(starts()).toBe(1)
  })
})

describe('a report is not paid for where it can not be written', () => {
  const refusedFor = async (
    files: Record<string, string>,
    writes: EvalRequest['writes'],
    breakIt = (_: string) => {},
  ) => {
    const folder = folderOf(files)
    breakIt(folder)
    const { starts, ...wish } = agentIn(folder)
    const resolved = writes?.files.map(({ flag, file }) => ({ flag, file: path.join(folder, file) }))
    const error = await userError(evaluated(folder, { ...wish, writes: { ...writes, files: resolved ?? [] } }))
    expect(starts()).toBe(0)
    return error
  }
  const report = { report: { output: null }, files: [] }
  test.each<[string, (folder: string) => void, string]>([
    ['a file', (folder) => writeFileSync(path.join(folder, 'evals/reports'), ''), 'reports is not a folder'],
    ['a link out', (folder) => symlinkSync(tmpdir(), path.join(folder, 'evals/reports')), 'reports: a link leads out'],
  ])('evals/reports is %s', async (_, breakIt, said) => {
    const error = await refusedFor(aam, report, breakIt)
    expect([error.message, error.fix]).toEqual([expect.stringContaining(said), expect.stringContaining('-o')])
  })
  test('one file for two suites', async () => {
    const writes = { report: { output: 'r.json' }, files: [] }
    const error = await refusedFor({ ...aam, ...own }, writes)
    expect(error.message).toBe('--output r.json: 2 suites, but one report file')
  })
  test.each([
    ['--output', 'evals/cases/a.yaml', aam],
    ['--reporter', 'evals/evals.json', own],
    ['--reporter', 'SKILL.md', own],
    ['--reporter', 'references/a.md', { ...own, 'references/a.md': 'a' }],
    ['--output', 'ledger/evals/golden/happy/001.md', golden],
    ['--output', 'ledger/persona/IDENTITY.md', golden],
  ])('%s %s would replace what the suite is read from', async (flag, file, files) => {
    const { message } = await refusedFor(files, { files: [{ flag, file }] })
    expect(message).toMatch(new RegExp(`^${flag}: .*${file} belongs to the suite`))
  })
  test('what fails only then lies beside the results', async () => {
    const folder = folderOf(aam)
    const { starts, ...wish } = agentIn(folder)
    const result = await evaluated(folder, { ...wish, writes: report })
    expect(starts()).toBe(1)
    writeFileSync(path.join(folder, 'evals/reports'), '')
    const error = await userError(writeEvalReports([result], null, {}))
    expect(error.message).toMatch(/evals\/reports: EEXIST|evals\/reports: ENOTDIR/)
    const [, file = ''] = /^it is in (.*) instead$/.exec(error.fix ?? '') ?? []
    expect(path.dirname(file)).toBe(result.folder)
    expect(JSON.parse(readFileSync(file, 'utf8')).summary.total).toBe(1)
  })
})
