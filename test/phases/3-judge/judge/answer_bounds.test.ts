/** What a judge says is kept in part where it is long: texts, and lists of them. */
import { expect, test } from 'vitest'
import { boundedList, boundedText } from '../../../../src/phases/3-judge/judge/answer_bounds.ts'
import { judgeAnswer } from '../../../../src/phases/3-judge/judge/judge_answer.ts'
import { buildJudgeFields } from '../../../../src/phases/3-judge/judge/judge_remarks.ts'

const long = 'x'.repeat(9000)

test('a text of up to 8,000 characters is whole', () => {
  expect(boundedText('x'.repeat(8000))).toHaveLength(8000)
  expect(boundedText(long)).toBe(`${'x'.repeat(8000)}…`)
})
test('a list keeps its first 50', () => expect(boundedList(Array.from(long), boundedText)).toHaveLength(50))
test('notes and feedback are bounded', () => {
  const many = Array.from({ length: 90 }, () => long)
  const answer = judgeAnswer.parse({
    verdicts: [],
    user_notes_summary: { uncertainties: many, needs_review: [], workarounds: [] },
    eval_feedback: { suggestions: many.map((reason) => ({ reason })), overall: long },
  })
  const spent = { calls: 1, tokens: 1, costUsd: null, model: 'm' }
  const made = buildJudgeFields({ verdicts: [], answer, spent }, { name: 'command', model: null })
  expect(made.user_notes_summary?.uncertainties).toHaveLength(50)
  expect(made.user_notes_summary?.uncertainties[0]).toHaveLength(8001)
  expect(made.eval_feedback?.suggestions).toHaveLength(50)
  expect(made.eval_feedback?.overall).toHaveLength(8001)
})
