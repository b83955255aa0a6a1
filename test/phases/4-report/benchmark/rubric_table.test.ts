/** Scores by rubric: in the table, in Markdown, on the page. */
import { expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { rubricTable } from '../../../../src/phases/4-report/benchmark/rubric_table.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
import { summaryTable } from '../../../../src/phases/4-report/text/summary_table.ts'
import { packsIn } from '../../../viewer/unpack.ts'
import { arm, inputOf } from '../fixture.ts'
import { toHtml } from '../page_html.ts'

const scored = (weighted_score: number, scores: Record<string, number>, hardFails: string[] = []) => ({
  rubric: {
    dimensions: Object.entries(scores).map(([name, score]) => ({
      ...{ name, weight: 1, score, justification: `why ${name} is ${score}` },
    })),
    hard_fails: hardFails.map((text) => ({ text, evidence: 'it says 41' })),
    weighted_score,
    threshold: 4,
    passed: weighted_score >= 4 && hardFails.length === 0,
  },
})
const made = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['++'], { grading: scored(4.5, { accuracy: 5, style: 4 }) }),
    ...arm(2, 'with_skill', ['++'], { grading: scored(4, { accuracy: 4 }, ['It invents a number']) }),
    ...arm(1, 'without_skill', ['--'], { grading: scored(2.5, { accuracy: 2, style: 3 }) }),
    ...arm(2, 'without_skill', ['--'], {}),
  ]),
)
const none = aggregate(inputOf([...arm(1, 'with_skill', ['++']), ...arm(1, 'without_skill', ['--'])]))

test('each arm and dimension, over the runs that were scored', () => {
  expect(rubricTable(made)).toEqual({
    header: ['of 5', 'with skill', 'without skill', 'difference'],
    rows: [
      ['weighted score', '4.25 ± 0.35', '2.50 ± 0.00', '+1.75'],
      ['accuracy', '4.50 ± 0.71', '2.00 ± 0.00', '+2.50'],
      ['style', '4.00 ± 0.00', '3.00 ± 0.00', '+1.00'],
      ['passed', '1 of 2', '0 of 1', ''],
    ],
  })
})

test('only cases graded in both configurations count, in the table and in the summary', () => {
  const more = aggregate(
    inputOf([
      ...arm(1, 'with_skill', ['++'], { grading: scored(4.5, { accuracy: 5 }) }),
      ...arm(2, 'with_skill', ['++'], { grading: scored(1, { accuracy: 1 }) }),
      ...arm(1, 'without_skill', ['--'], { grading: scored(2.5, { accuracy: 2 }) }),
      ...arm(2, 'without_skill', ['?'], {}),
    ]),
  )
  expect(rubricTable(more)?.rows[0]).toEqual(['weighted score', '4.50 ± 0.00', '2.50 ± 0.00', '+2.00'])
  expect(summaryTable(more).rows).toContainEqual(['rubric, of 5', '4.50 ± 0.00', '2.50 ± 0.00', ''])
})

test('it is shown in Markdown and on the page, which carries justifications and hard fails too', () => {
  expect(toMarkdown(made)).toContain('| accuracy | 4.50 ± 0.71 | 2.00 ± 0.00 | +2.50 |')
  expect(toHtml(made)).toContain('<th scope="row">rubric, of 5</th><td>4.25 ± 0.35</td><td>2.50 ± 0.00</td>')
  const carried = JSON.stringify(packsIn(toHtml(made)))
  for (const text of ['why style is 3', 'It invents a number', 'it says 41']) expect(carried).toContain(text)
})

test('nothing of it where there is none', () => {
  expect(rubricTable(none)).toBeNull()
  expect(toMarkdown(none)).not.toMatch(/rubric/i)
  expect(toHtml(none)).not.toContain('rubric, of 5')
})
