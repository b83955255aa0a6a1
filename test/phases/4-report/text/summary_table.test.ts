/** The summary table, and the rows of cases in benchmark.md: rates that subtract to the difference beside them. */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../../../src/phases/4-report/benchmark/aggregate_input.ts'
import { formatSeconds } from '../../../../src/phases/4-report/text/format.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
import { summaryTable } from '../../../../src/phases/4-report/text/summary_table.ts'
import { arm, inputOf, type Line } from '../fixture.ts'

const made = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) => aggregate(inputOf(lines, changes))

describe('table', () => {
  test('of two arms', () => {
    const lines = [
      ...arm(1, 'with_skill', ['++', '+-'], { seconds: 45, tokens: 3800 }),
      ...arm(1, 'without_skill', ['--', null], { seconds: 32, tokens: 2100 }),
    ]
    expect(summaryTable(made(lines))).toEqual({
      header: ['mean ± SD', 'with skill', 'without skill', 'difference'],
      rows: [
        ['pass rate', '75% ± 35%', '0% ± 0%', '+75 points'],
        ['time per run', '45.0 s ± 0.0 s', '32.0 s ± 0.0 s', '+13.0 s'],
        ['tokens per run', '3,800 ± 0', '2,100 ± 0', '+1,700'],
        ['cost per run', '$0.01', '$0.01', ''],
        ['skill read', '2 of 2', '–', ''],
        ['runs graded', '2 of 2', '1 of 2', ''],
      ],
    })
  })
  test('leaves out what no arm knows', () => {
    const unknown = { tokens: null, record: { cost: null, skill: { offered: null, read: null, read_at_step: null } } }
    const { rows } = summaryTable(
      made([...arm(1, 'with_skill', ['+'], unknown), ...arm(1, 'without_skill', ['+'], unknown)]),
    )
    expect(rows.map(([label]) => label)).toEqual(['pass rate', 'time per run', 'runs graded'])
  })
  test.each<[string, number, number, string]>([
    ['below ten minutes in tenths', 23.66, 17.94, '+5.8 s'],
    ['from ten minutes on in whole seconds', 725.4, 600.6, '+124.0 s'],
  ])('the difference is that of the times shown: %s', (_, own, other, difference) => {
    const timed = [
      ...arm(1, 'with_skill', ['+'], { seconds: own }),
      ...arm(1, 'without_skill', ['+'], { seconds: other }),
    ]
    const row = summaryTable(made(timed)).rows.find(([label]) => label === 'time per run')
    expect(row?.slice(1)).toEqual([`${formatSeconds(own)} ± 0.0 s`, `${formatSeconds(other)} ± 0.0 s`, difference])
  })
  test('of configurations without a common case has the rates of each, and no difference', () => {
    const { rows } = summaryTable(made([...arm(1, 'with_skill', ['+', '+']), ...arm(2, 'without_skill', ['-'])]))
    expect(rows[0]).toEqual(['pass rate', '100% ± 0%', '0% ± 0%', '–'])
  })
})

test.each<[string, string[], string[], string]>([
  ['in whole points', ['++++'], ['++--'], '| 1 case-1 | 100% ± 0% (n 1) | 50% ± 0% (n 1) | +50 points |'],
  [
    'each number rounded for itself',
    ['+++++++--'],
    ['+++------'],
    '| 1 case-1 | 78% ± 0% (n 1) | 33% ± 0% (n 1) | +44 points |',
  ],
  ['without one rate', ['+-'], [], '| 1 case-1 | 50% ± 0% (n 1) | – | – |'],
])('a case in benchmark.md: %s', (_, own, other, line) => {
  const text = toMarkdown(made([...arm(1, 'with_skill', own), ...arm(1, 'without_skill', other)]))
  expect(text.split('\n')).toContain(line)
})
