/** Artefacts of a workspace beside its benchmarks, each free text in them made by `say`: plain for the views, hostile for the attacks. */
import { analysis } from '../../schemas/analysis.ts'
import { comparison } from '../../schemas/comparison.ts'
import { description } from '../../schemas/description.ts'
import { trend } from '../../schemas/trend.ts'
import { type TriggerRun, triggers } from '../../schemas/triggers.ts'
import { computeTriggerMetrics } from '../../src/features/triggers/report/report.ts'
import { findTriggerConfusions, toTriggerResult } from '../../src/features/triggers/report/results.ts'

type Say = (text: string) => string

const createdAt = '2026-01-15T11:00:00Z'

/** Leads out of the workspace: nothing there is read. */
export const outside = '../whetstone-test-outside'

/** 6 queries: 2 right, a missed one, a wrongly triggered one, one with an error, one without any answer. */
export function triggersFile(say: Say): string {
  const run = (number: number, more: Partial<TriggerRun>): TriggerRun => ({
    run_number: number,
    run_id: `query-1/run-${number}`,
    outcome: 'triggered',
    via: say('Skill'),
    at_step: 1,
    before: [say('Read')],
    others: [],
    stopped: true,
    at_limit: false,
    error: null,
    attempts: 1,
    duration_ms: 1200,
    tokens: 900,
    cost: { usd: 0.01, source: 'agent' },
    ...more,
  })
  const not = { outcome: 'not_triggered', via: null, at_step: null, stopped: false, at_limit: true } as const
  const other = { ...not, others: [say('xlsx')] }
  const failed = { kind: 'rate_limited', message: say('429: slow down') } as const
  const error = { ...not, outcome: 'error', error: failed, cost: null, duration_ms: null } as const
  const rows: [string, boolean, Partial<TriggerRun>[]][] = [
    ['merge these two PDFs', true, [{}, {}, {}]],
    ['what is the weather', false, [not, not, not]],
    ['split the invoice', true, [other, other, {}]],
    ['draw a cat', false, [{}, {}, not]],
    ['rotate page 3', true, [{}, error, {}]],
    ['read this scan', true, [error, error, { ...error, outcome: 'missing', error: null }]],
  ]
  const results = rows.map(([query, should_trigger, runs], at) => {
    const asked = { query_id: at + 1, id: null, query: say(query), should_trigger, split: null }
    const all = runs.map((more, number) => run(number + 1, more))
    return toTriggerResult({ ...asked, note: say('from the author') }, all, 0.5)
  })
  const value = triggers.parse({
    schema_version: 1,
    created_at: createdAt,
    skill_name: say('pdf'),
    description: say('Works with PDF files.'),
    skill_sha256: 'a'.repeat(64),
    set: {
      path: say('evals/trigger-eval.json'),
      sha256: 'b'.repeat(64),
      format: say('skill-creator'),
      warnings: [{ file: say('evals/trigger-eval.json'), at: '$[3]', message: say('a doubled query') }],
    },
    among: [{ name: say('docx'), description: say('Word files.') }],
    configuration: 'with_skill',
    engine: { name: 'anthropic', model: 'claude-sonnet-4-5' },
    version: null,
    model: say('claude-sonnet-4-5'),
    sandbox: null,
    options: { runs: 3, threshold: 0.5, timeout_seconds: 30, max_turns: 3, stop_early: true },
    results,
    summary: {
      total: 6,
      passed: 3,
      failed: 2,
      undecided: 1,
      runs_planned: 18,
      runs_decided: 14,
      runs_failed: 3,
      runs_missing: 1,
    },
    metrics: computeTriggerMetrics(results),
    confusions: findTriggerConfusions(results),
    cost: { usd: 0.14, tokens: 12_600, seconds: 16.8, unknown: 4 },
    saving: {
      stopped: 8,
      of: 14,
      unit: 'usd',
      mean_stopped: 0.01,
      mean_whole: 0.04,
      basis: 'runs that did not trigger',
      saved: 0.24,
      saved_share: 0.75,
    },
    complete: false,
    stop: null,
    warnings: [say('the engine shows no costs of cached answers')],
  })
  return JSON.stringify(value)
}

/** A winner by both orders; the key is in it. */
export function comparisonFile(say: Say, more: object = {}): string {
  const side = (score: number) => ({
    content: { [say('correctness')]: score, [say('completeness')]: score - 1 },
    structure: { [say('layout')]: 3 },
    content_score: score - 0.5,
    structure_score: 3,
    overall_score: score + 2.5,
  })
  const results = (passed: number) => ({
    passed,
    total: 2,
    pass_rate: passed / 2,
    details: [
      { text: say('The total is 12'), passed: true },
      { text: say('It cites a source'), passed: passed === 2 },
    ],
  })
  const quality = (score: number) => ({ score, strengths: [say('complete')], weaknesses: [say('long')] })
  const judged = (shown_first: string, winner: string) => ({
    shown_first,
    winner,
    reasoning: say(`${winner} adds up`),
    overall_score: { A: 7.5, B: 5.5 },
    contradicts_scores: false,
  })
  const value = comparison.parse({
    winner: 'A',
    reasoning: say('A is complete, B loses a page.'),
    rubric: { A: side(5), B: side(3) },
    output_quality: { A: quality(8), B: quality(5) },
    expectation_results: { A: results(2), B: results(1) },
    schema_version: 1,
    sides: {
      A: { configuration: say('with_skill'), run: say('eval-1/with_skill/run-1') },
      B: { configuration: say('without_skill'), run: say('eval-1/without_skill/run-1') },
    },
    criteria: {
      chosen_by: 'judge',
      content: [{ name: say('correctness'), meaning: say('the sums are right') }],
      structure: [{ name: say('layout'), meaning: say('one table') }],
    },
    seed: 7,
    order: ['B', 'A'],
    flips: 0,
    judgements: [judged('B', 'A'), judged('A', 'A')],
    lengths: { A: { response_chars: 100, files: 1, bytes: 50 }, B: { response_chars: 80, files: 0, bytes: 0 } },
    judge: { engine: say('anthropic'), model: say('claude-opus'), calls: 4, tokens: null, cost_usd: 0.03 },
    ...more,
  })
  return JSON.stringify(value)
}

/** Two benchmarks of two versions. */
export function trendFile(say: Say): string {
  const point = (day: number, mean: number) => ({
    folder: say(`benchmarks/2026-01-${day}`),
    timestamp: `2026-01-${day}T10:00:00Z`,
    skill: say('pdf'),
    skill_version: `${day}`.repeat(32),
    suite_version: null,
    engine: say('anthropic'),
    agent_version: null,
    model: say('claude-sonnet-4-5'),
    complete: true,
    cases: 3,
    candidate: { configuration: 'with_skill', mean, runs: 9 },
    baseline: { configuration: 'without_skill', mean: 0.4, runs: 9 },
    lift: { mean: mean - 0.4, ci_low: mean - 0.5, ci_high: mean - 0.3, p_value: 0.04, verdict: 'helps' },
  })
  const points = [point(14, 0.5), point(15, 0.7)]
  const group = (name: string, newest: object) => ({
    skill: say('pdf'),
    name,
    benchmarks: 1,
    first: '2026-01-14T10:00:00Z',
    newest,
  })
  const value = trend.parse({
    schema_version: 1,
    points,
    by: { skill_version: points.map((one) => group(`${one.skill_version}`, one)), model: [], agent_version: [] },
    costs: [{ month: '2026-01', benchmarks: 2, agent_usd: 1.2, judge_usd: null, improve_usd: null, unknown_runs: 0 }],
    left_out: [{ file: say('x/benchmark.json'), message: say('not valid JSON') }],
  })
  return JSON.stringify(value)
}

export function analysisFile(say: Say): string {
  const value = analysis.parse({
    comparison_summary: {
      winner: 'A',
      winner_skill: say('with_skill'),
      loser_skill: say('without_skill'),
      comparator_reasoning: say('A is complete.'),
    },
    winner_strengths: [say('it checks its sums')],
    loser_weaknesses: [say('it guesses')],
    instruction_following: { winner: { score: 9, issues: [say('none')] }, loser: { score: 4, issues: [] } },
    improvement_suggestions: [
      {
        priority: say('high'),
        category: say('instructions'),
        suggestion: say('Say how pages are counted'),
        expected_impact: say('no lost page'),
      },
    ],
    transcript_insights: { winner_execution_pattern: say('read, wrote'), loser_execution_pattern: say('wrote') },
  })
  return JSON.stringify(value)
}

/** Two proposals: one that is better on the test queries, one that was refused. */
export function descriptionFile(say: Say): string {
  const score = (behaves: number) => ({ behaves, recall: behaves, false_trigger_rate: 0, folder: 'train-0' })
  const attempt = (round: number, text: string, more: object) => ({
    round,
    description: say(text),
    refused: null,
    ...more,
  })
  const value = description.parse({
    schema_version: 1,
    created_at: createdAt,
    skill_name: say('pdf'),
    set: { path: say('evals/trigger-eval.json'), sha256: 'b'.repeat(64) },
    engine: { name: 'anthropic', model: null },
    proposer: { engine: say('anthropic'), model: say('claude-opus'), calls: 2, tokens: null, cost_usd: null },
    seed: 1,
    split: { by: 'draw', train: [1, 2], test: [3, 4] },
    attempts: [
      attempt(0, 'Works with PDF files.', { train: score(0.5) }),
      attempt(1, 'Merges, splits and rotates PDF files.', { train: score(1) }),
      attempt(2, 'PDF', { train: null, refused: say('it is a training query, word for word') }),
    ],
    original: say('Works with PDF files.'),
    best: say('Merges, splits and rotates PDF files.'),
    best_round: 1,
    test: {
      before: score(0.5),
      after: score(0.75),
      difference: 0.25,
      p_value: 0.012,
      alpha: 0.05,
      queries: 2,
      runs: 3,
    },
    accepted: true,
    reason: say('better on the test queries'),
    applied: false,
    cost_usd: null,
  })
  return JSON.stringify(value)
}
