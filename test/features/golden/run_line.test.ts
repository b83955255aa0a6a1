/** A line of runs/<date>.jsonl: each field by itself, from a run, its grading and the verdict on it. */
import { describe, expect, test } from 'vitest'
import type { EvalCaseResult } from '../../../schemas/eval_result.ts'
import { type GoldenRunLine, type GoldenScores, goldenRunLine } from '../../../schemas/golden.ts'
import { type Grading, grading as gradingSchema } from '../../../schemas/grading.ts'
import { type FailureKind, failureKind, type RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { drawAuditSample, goldenLine } from '../../../src/features/golden/log.ts'
import { caseResult } from '../../../src/phases/4-report/eval/eval_verdict.ts'
import { record } from '../../fixtures/record.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

const golden = {
  ...{ test_id: '001_a', category: 'happy', input: 'Rent?', setup: '', expected_behavior: '', pass_criteria: '' },
  ...{ criteria: { thresholds: [], no_hard_fails: false, left_to_judge: [] }, expected_facts: [], notes: '' },
  rubric: { weights: { care: 100 }, threshold_pass: 4, body: '' },
  judge: { cross_family: [], same_family_fallback: [], strict_mode: true, audit_sample_pct: 0.1, template: 'x' },
}
const one = (changes: Record<string, unknown> = {}, goldenChanges: Partial<typeof golden> = {}): SuiteCase =>
  suiteCase({
    ...{ eval_key: '001_a', eval_name: '001_a', category: 'happy', expectations: [{ text: 'a score' }] },
    judging: { kind: 'golden', golden: { ...golden, ...goldenChanges } },
    ...changes,
  })
const scores: GoldenScores = {
  ...{ scores: { care: 5 }, justifications: { care: 'exact' }, clamped: [], weighted: 4.75, hard_fails: [], unmet: [] },
  ...{ verdict: 'pass', justification: 'well put', factual_checks: [], judge: 'openai:gpt-5' },
  ...{ judge_input_tokens: 1820, judge_output_tokens: 412 },
}
const graded = (changes: Partial<GoldenScores> = {}, more: Partial<Grading> = {}): Grading => {
  const made = { ...scores, ...changes }
  const { verdict, justification: evidence } = made
  const expectation = { text: 'a score', passed: verdict === 'pass', evidence, decided_by: 'judge' }
  return gradingSchema.parse({
    ...{ expectations: [expectation], summary: { passed: 1, failed: 0, total: 1, pass_rate: 1 } },
    judge: { engine: 'openai', model: 'gpt-5', cost_usd: 0.0034, calls: 1, tokens: null },
    golden: made,
    ...more,
  })
}

function lineOf(of: { case?: SuiteCase; record?: RunRecord | null; grading?: Grading | null } = {}): GoldenRunLine {
  const { case: it = one(), record: run = record(), grading = graded() } = of
  const result: EvalCaseResult = caseResult(it, run === null ? null : { run: 'r', record: run, grading })
  return goldenRunLine.parse(
    goldenLine({ case: it, result, record: run, grading: run === null ? null : grading }, 'ledger', 'runs/x.txt'),
  )
}

test('the line of the documents, and nothing but it', () => {
  expect(lineOf()).toEqual({
    ...{ ts: '2026-01-15T10:30:10Z', agent: 'ledger', test_id: '001_a', category: 'happy', trigger: 'eval' },
    ...{ agent_model: 'm', judge_model: 'gpt-5', scores: { care: 5 }, score_justifications: { care: 'exact' } },
    ...{ weighted_score: 4.75, hard_fails: [], verdict: 'pass', judge_justification: 'well put' },
    ...{ overall_justification: 'well put', factual_checks: [], setup_applied: false },
    agent_response_path: 'runs/x.txt',
    ...{ agent_input_tokens: 107, agent_output_tokens: 20, agent_cost_usd: 0.01 },
    ...{ judge_input_tokens: 1820, judge_output_tokens: 412, judge_cost_usd: 0.0034 },
  })
})

test('of a long answer the result has 500 characters, whole ones', () => {
  const run = { run: 'r', record: record({ final_response: '🦉'.repeat(700) }), grading: graded() }
  expect(caseResult(one(), run).output_snippet).toBe('🦉'.repeat(500))
})

const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 }
const judge = { engine: 'openai', model: 'gpt-5', cost_usd: 0.0034, calls: 1, tokens: null }
const engine = { name: 'command', version: null, model: 'm', provider: null }
const check = { claim: 'rent', stated_in_response: true, value_correct: true, cited: false }
const raw = { dimension: 'care', raw: 9, clamped: 5 }
test.each<[string, Parameters<typeof lineOf>[0], Partial<GoldenRunLine>]>([
  ['ts', { record: record({ ended_at: '2026-01-15T11:00:00Z' }) }, { ts: '2026-01-15T11:00:00Z' }],
  ['agent_model', { record: record({ engine: { ...engine, model: 'n' } }) }, { agent_model: 'n' }],
  ['agent_model, not told', { record: record({ engine: { ...engine, model: null } }) }, { agent_model: 'command' }],
  ['judge_model', { grading: graded({}, { judge: { ...judge, model: 'gpt-6' } }) }, { judge_model: 'gpt-6' }],
  [
    'judge_model, not told',
    { grading: graded({}, { judge: { ...judge, model: null } }) },
    { judge_model: 'openai:gpt-5' },
  ],
  [
    'judges_unavailable',
    { grading: graded({ unavailable: ['openai:gpt-5: 529'] }) },
    { judges_unavailable: ['openai:gpt-5: 529'] },
  ],
  ['verdict', { grading: graded({ verdict: 'fail' }) }, { verdict: 'fail' }],
  ['unmet_criteria', { grading: graded({ unmet: ['care: 5'] }) }, { unmet_criteria: ['care: 5'] }],
  ['factual_checks', { grading: graded({ factual_checks: [check] }) }, { factual_checks: [check] }],
  ['clamped_scores', { grading: graded({ clamped: [raw] }) }, { clamped_scores: [raw] }],
  ['setup_applied', { case: one({}, { setup: 'As it is.' }) }, { setup_applied: true }],
  ['tokens of the agent', { record: record({ usage }) }, { agent_input_tokens: 1, agent_output_tokens: 2 }],
  ['tokens not told', { record: record({ usage: null }) }, { agent_input_tokens: null, agent_output_tokens: null }],
  ['cost not told', { record: record({ cost: null }) }, { agent_cost_usd: null }],
  ['output of the judge', { grading: graded({ judge_output_tokens: null }) }, { judge_output_tokens: null }],
  ['cost of the judge', { grading: graded({}, { judge: { ...judge, cost_usd: null } }) }, { judge_cost_usd: null }],
])('%s', (_, of, changed) => expect(lineOf(of)).toEqual({ ...lineOf(), ...changed }))

describe('what went wrong', () => {
  const none = { scores: { care: null }, weighted_score: null }
  test('it could not run: skipped, with the reason, and nobody was asked', () => {
    const line = lineOf({ case: one({ cannot_run: '001.md:3:1: no test_id' }), record: null })
    expect(line).toMatchObject({ verdict: 'skipped', error: '001.md:3:1: no test_id', hard_fails: [], ...none })
    expect([line.agent_model, line.judge_model, line.agent_cost_usd]).toEqual(['(not invoked)', '(not invoked)', null])
  })
  test('the judge did not decide: judge_error, with its reason, no score', () => {
    const judge_errors = [{ text: 'a score', reason: 'the judge answered twice without scores' }]
    const grading = gradingSchema.parse({ ...graded(), expectations: [], golden: undefined, judge_errors })
    const error = expect.stringContaining('twice')
    expect(lineOf({ grading })).toMatchObject({ verdict: 'judge_error', error, ...none })
  })
  const own: readonly FailureKind[] = ['crash', 'bad_output']
  test.each(failureKind.options)('%s: agent_error where the agent itself broke, else skipped', (kind) => {
    const broke = record({ status: 'failed', error: { kind, message: 'Traceback: it broke' } })
    const line = lineOf({ record: broke, grading: null })
    if (own.includes(kind)) {
      expect(line).toMatchObject({
        verdict: 'fail',
        hard_fails: ['agent_error'],
        traceback: 'Traceback: it broke',
        ...none,
      })
      expect(line.judge_justification).toContain('Agent crashed')
    } else expect(line).toMatchObject({ verdict: 'skipped', hard_fails: [], error: `${kind}: Traceback: it broke` })
    expect('traceback' in line).toBe(own.includes(kind))
  })
  test('a hard fail without any score has no score', () => {
    const line = lineOf({ grading: graded({ scores: {}, weighted: 0, hard_fails: ['HF1'], verdict: 'fail' }) })
    expect(line).toMatchObject({ verdict: 'fail', scores: {}, weighted_score: null })
  })
  test('it did not end in time: its own fault', () => {
    expect(lineOf({ record: record({ status: 'timed_out' }), grading: null })).toMatchObject({
      ...{ verdict: 'fail', hard_fails: ['agent_error'], error: 'the agent did not end within 10 s' },
    })
  })
  test.each(failureKind.options)('of an EVAL.md %s: a fail where the agent itself broke, else skipped', (kind) => {
    const broke = record({ status: 'failed', error: { kind, message: 'it broke' } })
    const made = { run: 'r', record: broke, grading: null }
    const { verdict, reason } = caseResult(one({ judging: { kind: 'verdict' } }), made)
    const wanted = own.includes(kind) ? ['fail', 'the agent did not complete: it broke'] : ['skip', `${kind}: it broke`]
    expect([verdict, reason]).toEqual(wanted)
  })
  test('of a format without a judge of its own a crash is infrastructure', () => {
    const crashed = record({ status: 'failed', error: { kind: 'crash', message: 'x' } })
    const { judging: _, ...other } = one()
    expect(caseResult(other, { run: 'r', record: crashed, grading: null }).verdict).toBe('skip')
  })
})

describe('the audit sample', () => {
  const lines = Array.from({ length: 20 }, (_, at) => ({ ...lineOf(), test_id: `t${at}` }))
  test.each([
    [-1, 0],
    [0, 0],
    [2, 2],
    [30, 20],
  ])('where %i are due of 20 it is %i', (due, count) => expect(drawAuditSample(lines, due)).toHaveLength(count))
  test('is the same again, open, and of what a judge decided', () => {
    expect(drawAuditSample(lines, 2)).toEqual(drawAuditSample([...lines].reverse(), 2))
    expect(drawAuditSample(lines, 20).every(({ human }) => human === null)).toBe(true)
    expect(
      drawAuditSample(
        [
          { ...lineOf(), verdict: 'judge_error' },
          { ...lineOf(), weighted_score: null },
        ],
        1,
      ),
    ).toEqual([])
  })
})
