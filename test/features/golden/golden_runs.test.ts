/** evals/runs/ of an Atomic Agent: what is there is never overwritten, what is broken in it is passed over, a person's word closes a sample. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { GoldenAuditLine, GoldenRunLine } from '../../../schemas/golden.ts'
import { openGoldenRuns } from '../../../src/features/golden/run_files.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const line = (test_id: string): GoldenRunLine => ({
  ...{ ts: '2026-05-06T15:42:00Z', agent: 'a', test_id, category: 'happy', trigger: 'eval', agent_model: 'm' },
  ...{ judge_model: 'j', scores: {}, score_justifications: {}, weighted_score: 0, hard_fails: [], verdict: 'fail' },
  ...{ judge_justification: '', overall_justification: '', factual_checks: [], setup_applied: false },
  ...{ agent_response_path: '', agent_input_tokens: null, agent_output_tokens: null, agent_cost_usd: null },
  ...{ judge_input_tokens: null, judge_output_tokens: null, judge_cost_usd: null },
})
const sample = (test_id: string, human: GoldenAuditLine['human'] = null): GoldenAuditLine => ({
  ...{ ts: '2026-05-06T15:42:00Z', agent: 'a', test_id, verdict: 'pass', weighted_score: 5, judge_model: 'j' },
  ...{ judge_justification: 'x', agent_response_path: 'runs/responses/x.txt', human },
})
const day = '2026-05-06'

describe('responses', () => {
  test('a second and a third of a day get a suffix, also side by side; none is overwritten', async () => {
    const evals = folderOf({})
    const runs = openGoldenRuns(evals)
    const texts = ['one', 'two', 'three']
    const names = await Promise.all(texts.map((text) => runs.keepResponse(day, '001_a', text)))
    const wanted = ['', '-2', '-3'].map((suffix) => `runs/responses/${day}_001_a${suffix}.txt`)
    expect([...names].sort()).toEqual([...wanted].sort())
    expect(names.map((name) => readFileSync(path.join(evals, name), 'utf8'))).toEqual(texts)
  })
})

describe('lines', () => {
  test('are appended, a file a day', async () => {
    const evals = folderOf({})
    const runs = openGoldenRuns(evals)
    await runs.append(day, [line('a')])
    await runs.append(day, [line('b')])
    await runs.append('2026-05-07', [line('c')])
    expect(readdirSync(path.join(evals, 'runs')).sort()).toEqual([`${day}.jsonl`, '2026-05-07.jsonl'])
    expect(runs.linesOf(day).map(({ test_id }) => test_id)).toEqual(['a', 'b'])
  })
  test("a line that was cut off, and another tool's, stay as they are and are passed over", async () => {
    const evals = folderOf({ [`runs/${day}.jsonl`]: '{"test_id":"theirs"}\n{"ts":"20' })
    const runs = openGoldenRuns(evals)
    await runs.append(day, [line('a')])
    const text = readFileSync(path.join(evals, 'runs', `${day}.jsonl`), 'utf8')
    expect(text.split('\n').slice(0, 2)).toEqual(['{"test_id":"theirs"}', '{"ts":"20'])
    expect(runs.linesOf(day).map(({ test_id }) => test_id)).toEqual(['a'])
  })
  test('none for a day without one; no line makes no file', async () => {
    const evals = folderOf({})
    const runs = openGoldenRuns(evals)
    expect(runs.linesOf(day)).toEqual([])
    await runs.append(day, [])
    expect(readdirSync(path.join(evals, 'runs'))).toEqual([])
  })
})

describe('the audit sample', () => {
  test('is open until somebody says something of it, in its line or in a later one', async () => {
    const evals = folderOf({})
    const runs = openGoldenRuns(evals)
    await runs.keepSample([sample('a'), sample('b'), sample('c', 'agree')])
    const open = () =>
      runs
        .samples()
        .filter(({ human }) => human === null)
        .map(({ test_id }) => test_id)
    expect(open()).toEqual(['a', 'b'])
    await runs.keepSample([sample('a', 'disagree')])
    expect(open()).toEqual(['b'])
  })
  test('a word that is neither agree nor disagree closes nothing and breaks nothing', () => {
    const odd = JSON.stringify({ ...sample('a'), human: 'maybe' })
    const evals = folderOf({ 'runs/audit_log.jsonl': `${JSON.stringify(sample('a'))}\n${odd}\n` })
    expect(openGoldenRuns(evals).samples()).toMatchObject([{ human: null }])
  })
})

test('audit of an agent shows how far people agree with the judge, in all and by dimension', async () => {
  const scores = { care: 5, sum: 3 }
  const lines = [
    { ...sample('a', 'agree'), scores },
    { ...sample('b', 'disagree'), scores },
    { ...sample('c', 'disagree'), scores, human_dimensions: { sum: 'disagree' } },
    { ...sample('d'), scores },
  ]
  const folder = folderOf({
    'ledger/evals/rubric.md': '---\nweights: { care: 50, sum: 50 }\n---\n',
    'ledger/evals/judge.md': '---\n---\n{agent_response}\n',
    'ledger/evals/golden/happy/a.md': '',
    'ledger/evals/runs/audit_log.jsonl': lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
  })
  const { code, stdout } = await runMain(['audit', path.join(folder, 'ledger')])
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      'ledger: 3 of 4 sampled decisions are reviewed',
      '  all: 1 of 3 agree (33%)',
      '  care: 2 of 3 agree (67%)',
      '  sum: 1 of 3 agree (33%)',
      '',
    ],
  ])
})
