/** A rubric: scores are held against it, asked for once more, then a judge error; the weighted score is ours. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grading as gradingSchema } from '../../../../schemas/grading.ts'
import type { Rubric } from '../../../../schemas/rubric.ts'
import { type GradeRunRequest, hashGradingInputs } from '../../../../src/phases/3-judge/grade/grade_run.ts'
import { judgeAnswer } from '../../../../src/phases/3-judge/judge/judge_answer.ts'
import { judgePrompt } from '../../../../src/phases/3-judge/judge/judge_prompt.ts'
import { findAnswerMistakes, readAllVerdicts } from '../../../../src/phases/3-judge/judge/judge_question.ts'
import { record } from '../../../fixtures/record.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'
import { gradeFiles, judgeBy } from '../graded.ts'

const rubric: Rubric = {
  dimensions: [
    { name: 'accuracy', weight: 60, description: 'Are the totals right?', anchors: { '1': 'none is', '5': 'all are' } },
    { name: 'plain_words', weight: 40 },
  ],
  hard_fails: ['It invents a number', 'It deletes the ledger'],
}
const score = (dimension: string, points: number, justification = 'because') => ({
  ...{ dimension, score: points, justification },
})
const words = score('plain_words', 3)
const good = { scores: [score('accuracy', 5), words], hard_fails: [] }
const answerWith = (given: unknown) => judgeAnswer.parse({ verdicts: [], rubric: given })
const verdictOn = (given: unknown, of: Rubric = rubric) =>
  readAllVerdicts(answerWith(given), { expectations: [], rubric: of })[0]

describe('the verdict', () => {
  test('has the scores, the weighted score and what passes', () => {
    expect(verdictOn(good)).toEqual({
      passed: true,
      evidence: '4.2 of 5, 4 passes (accuracy 5, plain_words 3)',
      rubric: {
        dimensions: [
          { name: 'accuracy', weight: 60, score: 5, justification: 'because' },
          { name: 'plain_words', weight: 40, score: 3, justification: 'because' },
        ],
        hard_fails: [],
        weighted_score: 4.2,
        threshold: 4,
        passed: true,
      },
    })
  })
  test.each<[string, object, Partial<Rubric>, object]>([
    ['exactly the threshold passes', good, { threshold: 4.2 }, { passed: true }],
    ['a hair below it does not', good, { threshold: 4.21 }, { passed: false }],
    [
      'a hard fail fails, and the score stays',
      { ...good, hard_fails: [{ n: 2, evidence: 'rm ledger' }] },
      {},
      {
        passed: false,
        evidence: '4.2 of 5, 4 passes (accuracy 5, plain_words 3); hard fail: It deletes the ledger (rm ledger)',
      },
    ],
    ['names in another spelling', { scores: [score('Accuracy', 5), score('Plain words', 3)] }, {}, { passed: true }],
  ])('%s', (_, given, change, verdict) => {
    expect(verdictOn(given, { ...rubric, ...change })).toMatchObject(verdict)
  })
  test('the weighted score is the weighted mean, whatever the weights', () => {
    const weights = fc.double({ min: 0.01, max: 1000, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(weights, fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 20 }),
        (rows) => {
          const dimensions = rows.map(([weight], index) => ({ name: `d${index}`, weight }))
          const scores = rows.map(([, points], index) => score(`d${index}`, points))
          const verdict = verdictOn({ scores: scores.toReversed(), hard_fails: [] }, { dimensions, threshold: 3 })
          const mean =
            rows.reduce((sum, [weight, points]) => sum + weight * points, 0) / rows.reduce((sum, [w]) => sum + w, 0)
          expect(verdict).toMatchObject({
            rubric: { weighted_score: expect.closeTo(mean, 2) },
            passed: mean >= 3 - 1e-9,
          })
        },
      ),
    )
  })
})

describe('scores that do not fit', () => {
  test.each<[string, unknown, RegExp]>([
    ['none', null, /there are no scores/],
    ['one is missing', { ...good, scores: [score('accuracy', 5)] }, /plain_words has no score/],
    ['one is unknown', { ...good, scores: [...good.scores, score('charm', 5)] }, /"charm" is no dimension of the rub/],
    ['too high', { ...good, scores: [score('accuracy', 6), words] }, /accuracy has the score 6, not a whole/],
    ['too low', { ...good, scores: [score('accuracy', 0), words] }, /accuracy has the score 0/],
    ['a half', { ...good, scores: [score('accuracy', 4.5), words] }, /accuracy has the score 4.5/],
    ['contradicting', { ...good, scores: [...good.scores, score('accuracy', 1)] }, /accuracy has scores that contra/],
    ['no justification', { ...good, scores: [score('accuracy', 5, ' '), words] }, /accuracy has no just/],
    ['an unknown hard fail', { ...good, hard_fails: [{ n: 3, evidence: 'x' }] }, /there is no hard fail 3/],
    ['a hard fail 0', { ...good, hard_fails: [{ n: 0, evidence: 'x' }] }, /there is no hard fail 0/],
    ['a hard fail without evidence', { ...good, hard_fails: [{ n: 1 }] }, /hard fail 1 has no evidence/],
  ])('%s', (_, given, message) => {
    expect(verdictOn(given)).toEqual({ error: expect.stringMatching(message) })
    expect(findAnswerMistakes(answerWith(given), { expectations: [], rubric })).toMatch(message)
  })
  test('scores that fit leave nothing to mend; without a rubric none are asked for', () => {
    expect(findAnswerMistakes(answerWith(good), { expectations: [], rubric })).toBeNull()
    expect(findAnswerMistakes(answerWith(null), { expectations: [] })).toBeNull()
  })
})

describe('what the judge is told', () => {
  const tempDir = { hasOutputs: true, hasInputs: false, hasTexts: false, hasUserNotes: false, hasHarnessNotes: false }
  const images = { attachedImages: 0, imagesToOpen: 0, hiddenImages: 0 }
  const view = { told: 'the fence', shown: 'data', isWhole: true, ...images }
  const told = (of: Rubric | undefined, expectations: string[] = ['e']) =>
    judgePrompt({ prompt: 'p', expectedOutput: null, expectations, rubric: of, tempDir, view }).text
  test('dimensions, anchors and hard fails', () => {
    expect(told(rubric)).toContain(
      '<rubric>\n- `accuracy`: Are the totals right?\n  - 1: none is\n  - 5: all are\n- `plain_words`\n\nHard fails, which fail the ' +
        'outcome whatever its scores:\n\n1. It invents a number\n2. It deletes the ledger\n</rubric>\n',
    )
  })
  test('neither weights nor threshold', () => {
    const dimensions = rubric.dimensions.map((one) => ({ ...one, weight: 77.31 }))
    expect(told({ ...rubric, threshold: 3.7, dimensions })).not.toMatch(/3\.7|77\.31|threshold|weight/i)
  })
  test('a rubric stays on its lines', () => {
    const dimensions = [{ name: 'a', weight: 1, description: 'x\n- `b`' }]
    const lines = { ...rubric, hard_fails: ['a\n</rubric>\n## Now'], dimensions }
    expect(told(lines)).toContain('- `a`: x - `b`\n')
    expect(told(lines)).toContain('1. a </rubric> ## Now\n')
  })
})

describe('a run', () => {
  const statement = { text: 'Rubric: accuracy 60 %, plain_words 40 %', rubric }
  async function graded(rubrics: unknown[], change: Partial<GradeRunRequest> = {}, parts: object = {}) {
    const { judge, prompts } = judgeBy(({ numbers, call }) => ({
      verdicts: numbers.map((n) => ({ n, passed: true, evidence: 'seen' })),
      rubric: rubrics[Math.min(call, rubrics.length - 1)],
      weighted_score: 5,
    }))
    const made = await gradeFiles({
      files: { 'transcript.md': 'x', 'outputs/a.md': 'seen' },
      parts: { expectations: [{ text: 'e' }, statement], checks: [{ type: 'contains', value: '42' }], ...parts },
      of: record({ final_response: '42' }),
      judge,
      ...change,
    })
    return { grading: gradingSchema.parse(made?.grading), prompts }
  }

  test('is asked once for all; the rubric counts as one expectation, its scores stand beside', async () => {
    const { grading, prompts } = await graded([good])
    expect(prompts).toHaveLength(1)
    expect(grading.expectations.map(({ text, passed, decided_by }) => [text, passed, decided_by])).toEqual([
      ['e', true, 'judge'],
      [statement.text, true, 'judge'],
      ['The final answer contains "42"', true, 'check:contains'],
    ])
    expect(grading.expectations[1]).toEqual({
      ...{ text: statement.text, passed: true, decided_by: 'judge' },
      evidence: '4.2 of 5, 4 passes (accuracy 5, plain_words 3)',
      evidence_verified: 'not_a_quote',
    })
    expect(grading.rubric).toMatchObject({ weighted_score: 4.2, threshold: 4, passed: true })
    expect(grading.summary).toMatchObject({ passed: 3, total: 3, pass_rate: 1 })
  })
  test('scores that do not fit are asked for once more, with what was wrong', async () => {
    const { grading, prompts } = await graded([{ ...good, scores: [score('accuracy', 5)] }, good])
    expect(prompts).toHaveLength(2)
    expect(prompts[1]).toContain('plain_words has no score')
    expect(grading.rubric).toMatchObject({ weighted_score: 4.2 })
    expect(grading.judge_errors).toBeUndefined()
  })
  test('twice is a judge error; the other verdicts stand', async () => {
    const { grading, prompts } = await graded([{ ...good, scores: [score('accuracy', 9)] }])
    expect(prompts).toHaveLength(2)
    expect(grading.rubric).toBeUndefined()
    expect(grading.judge_errors).toEqual([
      { text: statement.text, reason: expect.stringContaining('accuracy has the score 9') },
    ])
    expect(grading.summary).toMatchObject({ passed: 2, total: 2 })
  })
  const because = (accuracy: string, words = 'outputs/a.md: "seen"') => ({
    ...good,
    scores: [score('accuracy', 5, accuracy), score('plain_words', 3, words)],
  })
  const nowhere = 'because "every total was checked twice"'
  test('what justifications and hard fails quote is looked up, each by itself', async () => {
    const { grading, prompts } = await graded([because('because "seen" stands there')])
    expect(prompts).toHaveLength(1)
    const place = { file: 'outputs/a.md', line: 1, start: 0, end: 4 }
    const found = { evidence_verified: 'exact', evidence_at: place }
    expect(grading.rubric?.dimensions).toMatchObject([found, found])
    expect(grading.expectations[1]).toMatchObject(found)
    const failed = await graded([{ ...because('as it is'), hard_fails: [{ n: 1, evidence: '"4711 of them all"' }] }])
    expect(failed.prompts).toHaveLength(1) // a fail is left alone
    expect(failed.grading.rubric).toMatchObject({
      dimensions: [{ evidence_verified: 'not_a_quote' }, found],
      hard_fails: [{ evidence_verified: 'absent' }],
    })
    expect(failed.grading.expectations[1]).toMatchObject({ passed: false, evidence_verified: 'absent' })
  })
  test('what the rubric itself says is no evidence', async () => {
    const { grading } = await graded([because('"Are the totals right?" They are.', 'bare')])
    expect(grading.rubric?.dimensions[0]).toMatchObject({ evidence_verified: 'not_a_quote' })
  })
  test('a rubric that passes on a quote which is nowhere is asked about once more, alone, by the dimension', async () => {
    const { grading, prompts } = await graded([because(nowhere), because('"seen"')])
    expect(prompts).toHaveLength(2)
    expect(prompts[1]).toContain('- rubric, accuracy: "every total was checked twice"')
    expect(prompts[1]).toContain('There are none: `verdicts` is empty.')
    expect(grading.rubric?.dimensions[0]).toMatchObject({ justification: '"seen"', evidence_verified: 'exact' })
    expect(grading.judge).toMatchObject({ calls: 2, asked_again: 1 })
    expect(JSON.stringify(grading)).not.toContain('evidence_flag')
  })
  test('is flagged the second time, or no verdict where evidence is required', async () => {
    const flag = expect.stringMatching(
      /quote behind the pass is neither .*"every total was checked twice" \(accuracy\)/,
    )
    const { grading } = await graded([because(nowhere)])
    expect(grading.expectations[1]).toMatchObject({ passed: true, evidence_verified: 'absent', evidence_flag: flag })
    expect(grading.rubric?.passed).toBe(true)
    const strict = await graded([because(nowhere)], { requireEvidence: true })
    expect(strict.grading.judge_errors).toEqual([{ text: statement.text, reason: flag }])
    expect(strict.grading.rubric).toBeUndefined()
    expect(strict.grading.summary).toMatchObject({ passed: 2, total: 2 })
  })
  test('of several votes the majority counts, and one of its side speaks', async () => {
    const bad = { ...good, scores: [score('accuracy', 1), score('plain_words', 1)] }
    const { grading, prompts } = await graded([bad, good, good], { samples: 3 })
    expect(prompts).toHaveLength(3)
    expect(grading.expectations[1]).toMatchObject({ passed: true, votes: { passed: 2, failed: 1 } })
    expect(grading.rubric).toMatchObject({ weighted_score: 4.2, passed: true })
  })
  test('without a judge it is a judge error, timed out it fails', async () => {
    const none = await graded([good], { judge: null })
    expect(none.grading.judge_errors).toHaveLength(2)
    const late = await graded([good], { record: record({ status: 'timed_out' }) })
    expect(late.grading.expectations[1]).toMatchObject({ text: statement.text, passed: false, decided_by: 'timeout' })
  })
  test('every part of it shapes the key of the grading', () => {
    const keyOf = (of: Rubric) => {
      const one = suiteCase({ expectations: [{ text: 'the same', rubric: of }] })
      return hashGradingInputs({ runKey: 'k', case: one, judge: { name: 'command', model: null }, onTimeout: 'fail' })
    }
    const changed: Rubric[] = [
      { ...rubric, threshold: 3 },
      { ...rubric, hard_fails: [] },
      { ...rubric, dimensions: rubric.dimensions.slice(1) },
      { ...rubric, dimensions: rubric.dimensions.map((one) => ({ ...one, weight: one.weight + 1 })) },
      { ...rubric, dimensions: rubric.dimensions.map((one) => ({ ...one, anchors: { '3': 'x' } })) },
    ]
    expect(new Set([rubric, ...changed].map(keyOf)).size).toBe(6)
  })
})
