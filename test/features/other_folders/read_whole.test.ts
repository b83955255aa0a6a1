/** Folders of others are read whole: each text of their files is in benchmark.json or on the page, and what can't be read is named. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, graded } from '../../store/folder_of.ts'
import { pageIn, textIn } from '../../viewer/unpack.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }
const read = async (folder: string) => {
  const request = { folder, candidate: null, baseline: null, force: false, agentskills: null }
  const { benchmark, paths } = await aggregateAgain(request, context)
  return { benchmark, html: readFileSync(paths.report, 'utf8') }
}

const remarks = {
  claims: [{ claim: 'Has 12 fields', type: 'factual', verified: true, evidence: 'Counted in info.json' }],
  user_notes_summary: { uncertainties: ['Used data of 2023'], needs_review: ['Look at B10'], workarounds: ['Overlay'] },
  eval_feedback: {
    suggestions: [{ assertion: 'Names Smith', reason: 'An invented text passes' }],
    overall: 'Presence only.',
  },
}
const scores = { content: { correctness: 5 }, structure: { usability: 4 } }
const side = { ...scores, content_score: 4.7, structure_score: 4.3, overall_score: 9 }
const quality = (name: string) => ({
  score: 9,
  strengths: [`${name} is whole`],
  weaknesses: [`${name} has odd headers`],
})
const results = { passed: 1, total: 1, pass_rate: 1, details: [{ text: 'Has a date', passed: true }] }
const comparison = {
  winner: 'A',
  reasoning: 'A has all fields',
  rubric: { A: side, B: side },
  output_quality: { A: quality('first'), B: quality('second') },
  expectation_results: { A: results, B: results },
}
const analysis = {
  comparison_summary: { winner: 'A', winner_skill: 'v/2', loser_skill: 'v/1', comparator_reasoning: 'It is complete' },
  winner_strengths: ['Clear steps'],
  loser_weaknesses: ['Vague words'],
  instruction_following: { winner: { score: 9, issues: ['No log'] }, loser: { score: 6, issues: ['No template'] } },
  improvement_suggestions: [
    { priority: 'high', category: 'instructions', suggestion: 'Say each step', expected_impact: 'No more guesses' },
  ],
  transcript_insights: { winner_execution_pattern: 'Read, then did', loser_execution_pattern: 'Tried three ways' },
}
const version = { version: 'v0', parent: null, expectation_pass_rate: 0.65, grading_result: 'baseline' }
const history = {
  started_at: '2026-01-15T10:30:00Z',
  skill_name: 'forms',
  current_best: 'v0',
  iterations: [{ ...version, is_current_best: true }],
}
const review = { run_id: 'eval-1-with_skill-run-1', feedback: 'The totals are off', timestamp: '2026-01-16T00:00:00Z' }
const runs = {
  'iteration-1/eval-1/with_skill/run-1/grading.json': { ...graded(1, 2, 'a'), ...remarks },
  'iteration-1/eval-1/without_skill/run-1/grading.json': graded(1, 2, 'b'),
}
const whole = {
  ...runs,
  'iteration-1/eval-1/comparison-1.json': comparison,
  'iteration-1/eval-1/analysis.json': analysis,
  'iteration-1/feedback.json': { reviews: [review], status: 'complete' },
  'history.json': history,
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(listTexts) : []
}

test('every text of every file is in benchmark.json or on the page', async () => {
  const { benchmark, html } = await read(path.join(folderOf(whole), 'iteration-1'))
  const said = textIn(html) + JSON.stringify(benchmark)
  const all = listTexts([remarks, comparison, analysis, history, review])
  expect(all.length).toBeGreaterThan(35)
  expect(all.filter((text) => !said.includes(text))).toEqual([])
  const { extras, feedback: shown } = pageIn(html)
  expect(extras).toMatchObject({
    comparisons: [{ name: 'eval-1/comparison-1.json', comparison: { value: comparison } }],
    analyses: [{ name: 'eval-1/analysis.json', analysis: { value: analysis } }],
    history: { value: history },
  })
  expect(shown).toEqual([review])
})

test('notes come in the order of skill-creator, then claims and eval feedback', async () => {
  const folder = path.join(folderOf(whole), 'iteration-1')
  const { benchmark } = await read(folder)
  expect(benchmark.runs.map(({ notes }) => notes)).toEqual([
    [
      ...['Used data of 2023', 'Look at B10', 'Overlay'],
      'Claim (factual), verified: Has 12 fields: Counted in info.json',
      'On the evals: Names Smith: An invented text passes',
      'On the evals: Presence only.',
    ],
    [],
  ])
  const end = await runMain(['explain', folder])
  expect(end.code, end.stderr).toBe(0)
  for (const note of benchmark.runs[0]?.notes ?? []) expect(end.stdout.replaceAll(/\s+/g, ' ')).toContain(note)
})

test.each<[string, Record<string, unknown>, string[]]>([
  ['a text', { user_notes_summary: 'All guessed' }, ['All guessed']],
  ['other names', { user_notes_summary: { risks: ['Old data'] }, notes: 'Slow' }, ['Old data', 'Slow']],
  ['entries with parts', { user_notes_summary: [{ what: 'B10', why: 'empty' }] }, ['B10: empty']],
  [
    'claims as texts',
    { claims: ['Has 12 fields', { claim: 'No dates', verified: false }] },
    ['Has 12 fields', 'Claim (claim), not verified: No dates'],
  ],
  ['advice as texts', { eval_feedback: ['Ask for the date'] }, ['On the evals: Ask for the date']],
  ['null', { user_notes_summary: null, claims: null, eval_feedback: null }, []],
])('remarks of a grading in another form: %s', async (_what, more, notes) => {
  const { benchmark } = await read(folderOf({ 'eval-1/with_skill/grading.json': { ...graded(1, 1), ...more } }))
  expect(benchmark.runs[0]?.notes).toEqual(notes)
})

test('beside cases with other names, at the top, and in another form: shown as they are', async () => {
  const { html } = await read(
    folderOf({
      'totals/with_skill/grading.json': graded(1, 1),
      'totals/comparison-2.json': { winner: 'first' },
      'totals/with_skill/outputs/analysis.json': { of: 'the agent' },
      'analysis.json': analysis,
      'history.json': { versions: ['v0'] },
    }),
  )
  expect(pageIn(html).extras).toEqual({
    comparisons: [{ name: 'totals/comparison-2.json', comparison: { raw: { winner: 'first' } } }],
    analyses: [{ name: 'analysis.json', analysis: { value: analysis } }],
    history: { raw: { versions: ['v0'] } },
  })
})

test("what can't be read is named, and so is a person's note on no run", async () => {
  const folder = folderOf({
    ...runs,
    'iteration-1/eval-1/comparison-1.json': '{',
    'history.json': '[',
    'iteration-1/feedback.json': { reviews: [{ ...review, run_id: 'eval-7' }] },
  })
  const { benchmark } = await read(path.join(folder, 'iteration-1'))
  expect(benchmark.problems?.map(({ file }) => file)).toEqual(['eval-1/comparison-1.json', '../history.json'])
  expect(benchmark.notes).toContain('feedback.json: 1 note is on no run found here: eval-7: The totals are off')
})
