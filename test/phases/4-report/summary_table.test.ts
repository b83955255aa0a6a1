/** The headline and the table: what a person reads first. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { aggregate } from '../../../src/phases/4-report/aggregate.ts'
import { toHtml } from '../../../src/phases/4-report/html.ts'
import type { AggregateInput } from '../../../src/phases/4-report/input.ts'
import { toMarkdown } from '../../../src/phases/4-report/markdown.ts'
import { headline, summaryTable, sureness } from '../../../src/phases/4-report/summary_table.ts'
import { count, dollars, percent, seconds, short } from '../../../src/phases/4-report/words.ts'
import { textIn } from '../../viewer/unpack.ts'
import { arm, inputOf, type Line } from './fixture.ts'

const made = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) => aggregate(inputOf(lines, changes))
const pair = (id: number, own: string[], other: string[]) => [
  ...arm(id, 'with_skill', own),
  ...arm(id, 'without_skill', other),
]
const versions = { candidate: 'new_skill', baseline: 'old_skill' }

describe('headline', () => {
  test.each<[string, Line[], Partial<AggregateInput>, string]>([
    [
      'gain',
      [...arm(1, 'with_skill', ['++', '+-']), ...arm(1, 'without_skill', ['--'])],
      {},
      'With the skill the agent meets 75 points more of its expectations than without it (75% against 0%; 2 + 1 runs, 1 case).',
    ],
    [
      'loss',
      [...arm(1, 'with_skill', ['--']), ...arm(1, 'without_skill', ['+-'])],
      {},
      'With the skill the agent meets 50 points fewer of its expectations than without it (0% against 50%; 1 + 1 runs, 1 case).',
    ],
    [
      'one point',
      [...arm(1, 'with_skill', [`+${'-'.repeat(99)}`]), ...arm(1, 'without_skill', ['-'])],
      {},
      'With the skill the agent meets 1 point more of its expectations than without it (1% against 0%; 1 + 1 runs, 1 case).',
    ],
    [
      'less than one point',
      [...arm(1, 'with_skill', [`+${'-'.repeat(999)}`]), ...arm(1, 'without_skill', ['-'])],
      {},
      'With the skill the agent meets less than 1 point more of its expectations than without it (<1% against 0%; 1 + 1 runs, 1 case).',
    ],
    [
      'no change',
      [...arm(1, 'with_skill', ['+-']), ...arm(1, 'without_skill', ['+-'])],
      {},
      'With the skill the agent meets as many of its expectations as without it (50% against 50%; 1 + 1 runs, 1 case).',
    ],
    [
      'arms that were asked for the other way round',
      [...arm(1, 'with_skill', ['++']), ...arm(1, 'without_skill', ['--'])],
      { candidate: 'without_skill', baseline: 'with_skill' },
      'without_skill meets 100 points fewer of its expectations than with_skill (0% against 100%; 1 + 1 runs, 1 case).',
    ],
    [
      'versions',
      [...arm(1, 'new_skill', ['++']), ...arm(1, 'old_skill', ['+-'])],
      versions,
      'With the new version the agent meets 50 points more of its expectations than with the old one (100% against 50%; 1 + 1 runs, 1 case).',
    ],
    [
      'baseline broken',
      [...arm(1, 'with_skill', ['+-']), ...arm(1, 'without_skill', [null])],
      {},
      'with_skill: the agent meets 50% of its expectations (1 run, 1 case). No comparison: the other arm has no graded run.',
    ],
    [
      'candidate broken',
      [...arm(1, 'with_skill', [null]), ...arm(1, 'without_skill', ['+-'])],
      {},
      'without_skill: the agent meets 50% of its expectations (1 run, 1 case). No comparison: the other arm has no graded run.',
    ],
    [
      'one arm',
      arm(1, 'with_skill', ['+-', '++']),
      { baseline: null },
      'with_skill: the agent meets 75% of its expectations (2 runs, 1 case).',
    ],
    [
      'cases of which one has more runs, each a tie',
      [...pair(1, ['+', '+', '+'], ['+', '+', '+']), ...pair(2, ['-', '-', '-', '-'], ['-', '-', '-'])],
      {},
      'With the skill the agent meets as many of its expectations as without it (50% against 50%, each case counted once; 7 + 6 runs, 2 cases).',
    ],
    [
      'a case that only one arm has',
      [...pair(1, ['+-', '+-'], ['--', '--']), ...arm(2, 'with_skill', ['--', '--'])],
      {},
      'With the skill the agent meets 50 points more of its expectations than without it (50% against 0%, each case counted once; 4 + 2 runs, 2 cases).',
    ],
    [
      'more runs in one arm, which weigh alike',
      [...pair(1, ['+', '-'], ['-']), ...pair(2, ['+', '-'], ['-'])],
      {},
      'With the skill the agent meets 50 points more of its expectations than without it (50% against 0%; 4 + 2 runs, 2 cases).',
    ],
    [
      'no case that both arms have',
      [...arm(1, 'with_skill', ['+', '+']), ...arm(2, 'without_skill', ['-'])],
      {},
      'With the skill the agent meets 100 points more of its expectations than without it (100% against 0%; 2 + 1 runs, 2 cases).',
    ],
    ['nothing graded', arm(1, 'with_skill', [null, null]), {}, 'No result: of 2 planned runs none is graded.'],
  ])('%s', (_, lines, changes, text) => expect(headline(made(lines, changes))).toBe(text))
})

describe('where cases with more runs weigh more in the pooled means', () => {
  const uneven = made([...pair(1, ['+', '+', '+'], ['+', '+', '+']), ...pair(2, ['-', '-', '-', '-'], ['-', '-', '-'])])
  test('the table has those, and it is said why', () => {
    expect(summaryTable(uneven).rows[0]).toEqual(['expectations met', '43% ± 53%', '50% ± 55%', '-7 points'])
    expect(sureness(uneven)).toContain(
      'Some cases have more graded runs than others. Pooled over runs, as in the table, the difference is -7 points: cases with more runs weigh more there.',
    )
  })
  test('the note goes by the headline', () => {
    expect(uneven.notes.join()).toContain('leaves the pass rate as it is (+0.00, each case counted once)')
  })
  test('control: with as many runs each nothing is said of it', () => {
    const even = made([...pair(1, ['+', '+'], ['+', '-']), ...pair(2, ['-', '-'], ['-', '+'])])
    expect(sureness(even).join()).not.toContain('weigh more')
    expect(even.notes.join()).not.toContain('counted once')
  })
})

describe('table', () => {
  test('of two arms', () => {
    const lines = [
      ...arm(1, 'with_skill', ['++', '+-'], { seconds: 45, tokens: 3800 }),
      ...arm(1, 'without_skill', ['--', null], { seconds: 32, tokens: 2100 }),
    ]
    expect(summaryTable(made(lines))).toEqual({
      header: ['', 'with skill', 'without skill', 'difference'],
      rows: [
        ['expectations met', '75% ± 35%', '0% ± 0%', '+75 points'],
        ['time a run', '45.0s ± 0.0s', '32.0s ± 0.0s', '+13.0s'],
        ['tokens a run', '3,800 ± 0', '2,100 ± 0', '+1700'],
        ['cost a run', '$0.01', '$0.01', ''],
        ['skill read', '2 of 2', '–', ''],
        ['runs graded', '2 of 2', '1 of 2', ''],
      ],
    })
  })
  test('of one arm has no difference', () => {
    expect(summaryTable(made(arm(1, 'with_skill', ['+']), { baseline: null })).header).toEqual(['', 'with skill'])
  })
  test('leaves out what no arm knows', () => {
    const unknown = { tokens: null, record: { cost: null, skill: { offered: null, read: null, read_at_step: null } } }
    const { rows } = summaryTable(
      made([...arm(1, 'with_skill', ['+'], unknown), ...arm(1, 'without_skill', ['+'], unknown)]),
    )
    expect(rows.map(([label]) => label)).toEqual(['expectations met', 'time a run', 'runs graded'])
  })
  test('of an empty benchmark shows no number', () => {
    expect(summaryTable(made([])).rows).toEqual([['runs graded', '0 of 0', '0 of 0', '']])
  })
})

describe("the reference's own benchmark.json", () => {
  const file = new URL('../../schemas/fixtures/benchmark.json', import.meta.url)
  const example = benchmark.parse(JSON.parse(readFileSync(file, 'utf8')))
  test('has a headline', () => {
    expect(headline(example)).toMatch(
      /^With the skill the agent meets 50 points more of its expectations than without it \(85% against 35%/,
    )
  })
  test('has a table', () => {
    expect(summaryTable(example).rows[0]).toEqual(['expectations met', '85% ± 5%', '35% ± 8%', '+50 points'])
  })
  test('renders, its notes and its case included', () => {
    for (const text of [toMarkdown(example), textIn(toHtml(example))]) {
      expect(text).toContain('Skill adds 13s average execution time but improves pass rate by 50%')
      expect(text).toContain('Ocean')
    }
  })
})

describe('words', () => {
  test.each([
    [percent(0), '0%'],
    [percent(0.001), '<1%'],
    [percent(0.625), '62%'],
    [percent(0.999), '>99%'],
    [percent(1), '100%'],
    [seconds(4.25), '4.2s'],
    [seconds(725), '12m 05s'],
    [count(1234567), '1,234,567'],
    [count(999), '999'],
    [dollars(0.0042), '$0.0042'],
    [dollars(12.5), '$12.50'],
    [dollars(0), '$0.00'],
    [short('a \n b'), 'a b'],
    [short('👍👍👍👍', 3), '👍👍…'],
  ])('%s', (found, expected) => expect(found).toBe(expected))
})
