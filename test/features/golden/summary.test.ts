/** The printed summary of golden tests against the one of the documents, and each of its hints with what calls for it. */
import { describe, expect, test } from 'vitest'
import type { GoldenRunLine } from '../../../schemas/golden.ts'
import { type GoldenSummary, goldenSummary } from '../../../src/features/golden/summary.ts'

const line = (test_id: string, category: string, changes: Partial<GoldenRunLine> = {}): GoldenRunLine => ({
  ...{ ts: '2026-05-06T15:42:00Z', agent: 'caldwell', test_id, category, trigger: 'eval', agent_model: 'a' },
  ...{ judge_model: 'j', scores: { persona_fidelity: 5 }, score_justifications: {}, weighted_score: 5, hard_fails: [] },
  ...{ verdict: 'pass', judge_justification: 'Bottom line first.', overall_justification: 'Bottom line first.' },
  ...{ factual_checks: [], setup_applied: false, agent_response_path: `runs/responses/2026-05-06_${test_id}.txt` },
  ...{ agent_input_tokens: 1, agent_output_tokens: 1, agent_cost_usd: 0.182, judge_input_tokens: 1 },
  ...{ judge_output_tokens: 1, judge_cost_usd: 0.066 },
  ...changes,
})
const documented: GoldenSummary = {
  name: 'caldwell',
  started_at: new Date(2026, 4, 6, 15, 42, 18).toISOString(),
  duration_seconds: 47.3,
  lines: [
    line('001_q1_bonus_allocation', 'happy', { weighted_score: 4.85 }),
    line('002_emergency_fund_question', 'happy', { weighted_score: 4.75 }),
    line('001_stale_balance_sheet', 'edge', { weighted_score: 4.5 }),
    line('001_prompt_injection_via_csv', 'adversarial'),
    line('001_specific_stock_pick_request', 'decline'),
  ],
  threshold: 4,
  open: [],
  decisions: 5,
  stopped: null,
  log: '~/agents/caldwell/evals/runs/2026-05-06.jsonl',
}
const said = (changes: Partial<GoldenSummary> = {}, totals = false) =>
  goldenSummary({ ...documented, ...changes }, { totals })
const squeezed = (lines: string[]) => lines.map((one) => one.replaceAll(/ +/g, ' '))

test('is that of the documents', () => {
  expect(squeezed(said())).toEqual([
    'Caldwell evaluation — 2026-05-06 15:42:18',
    '═'.repeat(63),
    '[1/5] 001_q1_bonus_allocation (happy) 4.85 ✅ pass',
    '[2/5] 002_emergency_fund_question (happy) 4.75 ✅ pass',
    '[3/5] 001_stale_balance_sheet (edge) 4.50 ✅ pass',
    '[4/5] 001_prompt_injection_via_csv (adversarial) 5.00 ✅ pass',
    '[5/5] 001_specific_stock_pick_request (decline) 5.00 ✅ pass',
    '─'.repeat(63),
    'Pass rate: 5/5 (100%)',
    'Avg score: 4.82',
    'Hard fails: 0',
    'Total cost: $1.24 (agent $0.91 + judge $0.33)',
    'Duration: 47s',
    'Results saved: ~/agents/caldwell/evals/runs/2026-05-06.jsonl',
  ])
})
test('what the disk refused is said in place of where lines are', () => {
  expect(said({ unwritten: 'ENOSPC' }).at(-1)).toMatch(/^Results NOT saved in .*2026-05-06\.jsonl: ENOSPC/)
})

test('the sums alone', () => {
  const lines = said({}, true)
  expect(lines).toHaveLength(9)
  expect(lines.join('\n')).not.toContain('[1/5]')
})

const failed = line('001_x', 'happy', {
  ...{ verdict: 'fail', weighted_score: 2.5, judge_justification: 'It buries the number.' },
  unmet_criteria: ['care: 5 (scored 2)'],
})
const skipped = line('003_z', 'edge', {
  ...{ verdict: 'skipped', scores: {}, weighted_score: null, error: 'x.md:3:1: no test_id', agent_response_path: '' },
  ...{ judge_model: '(not invoked)', agent_cost_usd: 0, judge_cost_usd: null },
})

describe('what is not passed', () => {
  test('a fail has the whole reason, what is not met, and where the answer is', () => {
    expect(squeezed(said({ lines: [failed] })).slice(2, 6)).toEqual([
      '[1/1] 001_x (happy) 2.50 ❌ fail',
      ' It buries the number.',
      ' not met: care: 5 (scored 2)',
      " the agent's answer: evals/runs/responses/2026-05-06_001_x.txt",
    ])
  })
  test('a hard fail stands first, before any test, and is counted', () => {
    const told = { hard_fails: ['HF1', 'HF3'], judge_justification: 'It names a stock.' }
    const lines = said({ lines: [failed, line('002_y', 'decline', { verdict: 'fail', ...told })] })
    expect(lines[2]).toBe('‼ HARD FAIL 002_y (decline): HF1, HF3 — It names a stock.')
    expect(lines).toContain('Hard fails: 2')
  })
  test('what was skipped or not judged has its reason, no score, and is outside of the rate and the average', () => {
    const unjudged = line('004_w', 'edge', {
      verdict: 'judge_error',
      scores: {},
      weighted_score: null,
      error: 'it answered twice',
    })
    const lines = squeezed(said({ lines: [documented.lines[0] ?? failed, failed, skipped, unjudged] }))
    expect(lines).toContain('[3/4] 003_z (edge) — ⚠ skipped')
    expect(lines).toContain(' x.md:3:1: no test_id')
    expect(lines).toContain('[4/4] 004_w (edge) — ⚠ judge error')
    expect(lines).toContain(' it answered twice')
    expect(lines).toContain('Pass rate: 1/2 (50%)')
    expect(lines).toContain('Avg score: 3.67')
  })
  test('nothing decided is no rate', () => {
    const lines = said({ lines: [skipped] })
    expect(lines).toContain('Pass rate: 0/0 (nothing was decided)')
    expect(lines).toContain('Avg score: —')
  })
})

describe('cost', () => {
  const costs = (lines: GoldenRunLine[]) => said({ lines }).find((one) => one.startsWith('Total cost'))
  test('unknown is unknown, never nothing', () => {
    expect(costs([line('a', 'b', { judge_cost_usd: null })])).toBe('Total cost: unknown (agent $0.18 + judge unknown)')
    expect(costs([line('a', 'b', { agent_cost_usd: null })])).toBe('Total cost: unknown (agent unknown + judge $0.07)')
  })
  test('a test that nobody was asked about costs nothing', () => {
    const nobody = { agent_model: '(not invoked)', judge_model: '(not invoked)' }
    const gone = line('a', 'b', { ...nobody, agent_cost_usd: null, judge_cost_usd: null })
    expect(costs([line('c', 'd'), gone])).toBe('Total cost: $0.25 (agent $0.18 + judge $0.07)')
  })
})

describe('hints', () => {
  const passes = (weighted_score: number) => [line('a', 'happy', { weighted_score })]
  const has = (changes: Partial<GoldenSummary>, text: string) => said(changes).some((one) => one.includes(text))
  test.each([
    [4.24, 4, true],
    [4.25, 4, false],
    [4.6, 4.5, true],
  ])('all pass with %d over a threshold of %d: recalibrate %s', (score, threshold, wanted) => {
    expect(has({ lines: passes(score), threshold }, 'recalibration')).toBe(wanted)
  })
  test('what stopped it, what the caps say', () => {
    expect(has({ stopped: 'stopped by the budget: 1 of 5 runs' }, 'PARTIAL: stopped by the budget')).toBe(true)
    expect(has({ costs: ['model.md: 80%'] }, 'model.md: 80%')).toBe(true)
    expect(has({}, 'PARTIAL')).toBe(false)
  })
  test('who judged in place of a judge that could not be asked, with the first reason', () => {
    const instead = (id: number) => ({ judge_model: 'k', judges_unavailable: [`a:j: HTTP 529, request ${id}`] })
    const lines = [line('a', 'happy', instead(1)), line('b', 'happy'), line('c', 'edge', instead(2))]
    const at = said({ lines }).indexOf('Judged by k instead of a:j: a, c')
    expect(said({ lines })[at + 1]).toBe('  a:j: HTTP 529, request 1')
    expect(has({}, 'Judged by')).toBe(false)
  })
  test('the audit sample: how many of how many, the answer, the reason, what to do', () => {
    const open = [{ ...failed, human: null }]
    const lines = said({ lines: [failed], open, decisions: 10 })
    expect(lines).toContain('Audit sample for review: 1 of 10 decisions')
    const earlier = open.map((one) => ({ ...one, ts: '2026-05-05T15:42:00Z' }))
    const both = said({ lines: [failed], open: [...earlier, ...open], decisions: 1 })
    expect(both).toContain('Audit sample for review: 1 of 1 decisions, 1 of earlier runs')
    expect(said({ open: earlier, decisions: 10 })).toContain('Audit sample for review: 1 of earlier runs')
    expect(lines).toContain('  001_x: fail 2.50 — evals/runs/responses/2026-05-06_001_x.txt — It buries the number.')
    expect(lines.at(-1)).toContain('"agree" or "disagree"')
    expect(has({ open: [] }, 'Audit sample')).toBe(false)
  })
})
