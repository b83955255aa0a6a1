/** benchmark.md: both rates of a case subtract to the difference beside them, in points. */
import { expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
import { arm, inputOf } from '../fixture.ts'

function caseLine(own: readonly string[], other: readonly string[]): string | undefined {
  const lines = [...arm(1, 'with_skill', own), ...arm(1, 'without_skill', other)]
  return toMarkdown(aggregate(inputOf(lines)))
    .split('\n')
    .find((line) => line.startsWith('| 1 case-1'))
}

test.each<[string, string[], string[], string]>([
  ['in whole points', ['++++'], ['++--'], '| 1 case-1 | 100% ± 0% (n 1) | 50% ± 0% (n 1) | +50 points |'],
  [
    'with a decimal where whole points do not subtract',
    ['+++++++--'],
    ['+++------'],
    '| 1 case-1 | 77.8% ± 0% (n 1) | 33.3% ± 0% (n 1) | +44.5 points |',
  ],
  ['without one rate', ['+-'], [], '| 1 case-1 | 50% ± 0% (n 1) | – | – |'],
])('%s', (_, own, other, line) => expect(caseLine(own, other)).toBe(line))
