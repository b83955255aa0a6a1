/** Gradings and timings of other tools: counted as they are written, whatever their layout. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grading } from '../../../schemas/grading.ts'
import { timing } from '../../../schemas/timing.ts'
import { findUnusableMeasures, readForeignTiming } from '../../../src/features/other_folders/pick_values.ts'
import { findGradings } from '../../../src/features/other_folders/read_grading.ts'
import { walkTree } from '../../../src/features/other_folders/tree.ts'
import { fresh } from '../../e2e/program.ts'

const item = (passed: unknown, more = {}) => ({ text: 'it adds up', passed, evidence: 'line 3', ...more })
const read = (value: unknown) => findGradings(value).map(({ grading }) => grading)[0]
const counts = (value: unknown) => {
  const { passed, total, pass_rate } = read(value)?.summary ?? {}
  return [passed, total, pass_rate]
}

describe('a grading is counted', () => {
  test.each([
    ['expectations', { expectations: [item(true), item(false)] }, [1, 2, 0.5]],
    ['assertion_results', { assertion_results: [item(true)] }, [1, 1, 1]],
    ['assertions', { assertions: [item(true)] }, [1, 1, 1]],
    ['the list that is not empty', { expectations: [], assertion_results: [item(true), item(false)] }, [1, 2, 0.5]],
    ['the list with verdicts', { assertions: ['a', 'b'], results: [item(true), item(true)] }, [2, 2, 1]],
    ['the first of two with verdicts', { assertions: [item(true)], results: [item(false)] }, [1, 1, 1]],
    ['a list at top level', [item(true), item(true)], [2, 2, 1]],
    [
      'the list, whatever the summary says',
      { expectations: [item(true)], summary: { passed: 0, failed: 1, total: 1, pass_rate: 0 } },
      [1, 1, 1],
    ],
    ['a summary that is null', { expectations: [item(true)], summary: null }, [1, 1, 1]],
    ['a null verdict is undecided, not a fail', { expectations: [item(true), item(null)] }, [1, 1, 1]],
    [
      'verdicts as words',
      { expectations: [item('PASS'), item('fail'), item(undefined, { status: 'passed' })] },
      [2, 3, 2 / 3],
    ],
    ['counts at top level', { passed_count: 3, total: 4 }, [3, 4, 0.75]],
    ['counts in the summary', { summary: { passed: 1, failed: 3 } }, [1, 4, 0.25]],
    ['texts without verdicts, and counts', { expectations: ['a', 'b'], summary: { passed: 1, total: 2 } }, [1, 2, 0.5]],
    ['an empty list, and counts at top level', { assertions: [], passed: 0, failed: 2 }, [0, 2, 0]],
    ['a rate alone', { pass_rate: 0.8 }, [0, 0, 0.8]],
    ['a rate in percent', { pass_rate: 85 }, [0, 0, 0.85]],
    ['a rate as text', { overall_pass_rate: '40%' }, [0, 0, 0.4]],
  ])('%s', (_, value, expected) => expect(counts(value)).toEqual(expected))

  test.each<[string, object[], number]>([
    ['weights', [item(true, { weight: 3 }), item(false, { weight: 1 })], 0.75],
    ['weights of some: the others count as 1', [item(true, { weight: 3 }), item(false)], 0.75],
    ['a weight of 0: none is read', [item(true, { weight: 3 }), item(false, { weight: 0 })], 0.5],
    ['scores from 0 to 1', [item(false, { score: 0.4 }), item(true, { score: 1 })], 0.7],
    ['scores of another scale: none is read', [item(false, { score: 0.4 }), item(true, { score: 4 })], 0.5],
    ['a score that is a text: none is read', [item(false, { score: '40%' }), item(true, { score: 0.5 })], 0.5],
    ['diagnostics', [item(false, { score: 0.4 }), item(true, { diagnostic: true })], 0.4],
  ])('%s', (_, expectations, rate) => {
    const found = read({ expectations })
    expect(found?.summary.pass_rate).toBeCloseTo(rate, 12)
    expect(grading.safeParse(found).success).toBe(true)
  })
  test('what is undecided is told', () => {
    expect(read({ expectations: [item(null)] })?.judge_errors).toEqual([
      { text: 'it adds up', reason: 'the grading contains no verdict for it' },
    ])
  })
  test.each([
    ['an empty list with a rate of 0', { expectations: [], summary: { passed: 0, failed: 0, total: 0, pass_rate: 0 } }],
    ['an empty list', { expectations: [] }],
    ['an empty list with a rate alone', { expectations: [], pass_rate: 0.5 }],
    [
      'an empty list, with what a judge that failed leaves',
      {
        expectations: [],
        summary: { passed: 0, failed: 0, total: 0, pass_rate: 0 },
        judge_errors: [{ text: 'it adds up', reason: 'no answer' }],
      },
    ],
  ])('%s decides nothing', (_, value) => expect(read(value)?.summary).toMatchObject({ total: 0, failed: 0 }))
  test.each([
    [{}],
    ['text'],
    [null],
    [{ notes: 'later' }],
    [{ summary: { total: 0, pass_rate: 0 } }],
    [{ summary: { passed: 5, failed: 1, total: 2, pass_rate: 2.5 } }],
    [{ score: 4.5 }],
  ])('%j is no grading', (value) => {
    expect(findGradings(value)).toEqual([])
  })
  test.each([
    ['text', { text: 'A' }],
    ['description', { description: 'A' }],
    ['name', { name: 'A' }],
  ])('a statement under %s', (_, fields) => {
    expect(read({ expectations: [{ ...fields, passed: true, reason: 'why' }] })?.expectations).toEqual([
      { text: 'A', passed: true, evidence: 'why' },
    ])
  })
})

describe('one file with several gradings', () => {
  const arms = (value: unknown) =>
    findGradings(value).map(({ configuration, run, grading }) => [configuration, run, grading.summary.passed])
  test.each([
    ['lists by configuration', { with_skill: [item(true)], without_skill: [item(false)] }],
    [
      'gradings by configuration',
      { with_skill: { expectations: [item(true)] }, without_skill: { assertions: [item(false)] } },
    ],
  ])('%s', (_, value) =>
    expect(arms(value)).toEqual([
      ['with_skill', null, 1],
      ['without_skill', null, 0],
    ]),
  )
  test.each([
    [
      'a list of runs at top level',
      [
        { run: 1, expectations: [item(true)] },
        { run: 4, expectations: [] },
      ],
    ],
    [
      'whose counts are no verdicts',
      [
        { run: 1, passed: 1, assertions: [item(true)] },
        { run: 4, summary: { passed: 0, total: 2 } },
      ],
    ],
  ])('%s', (_, value) =>
    expect(arms(value)).toEqual([
      [null, 1, 1],
      [null, 4, 0],
    ]),
  )
  const halves = [item(true), item(false)]
  test.each<[string, unknown, unknown[]]>([
    ...(['runs', 'results', 'evaluations'] as const).flatMap((name): [string, unknown, unknown[]][] => [
      [
        `numbers of runs beside verdicts of their own, under ${name}`,
        {
          [name]: [
            { run: 1, passed: false, expectations: halves },
            { run: 2, passed: true, expectations: [item(true)] },
          ],
        },
        [
          [null, 1, 1, 2],
          [null, 2, 1, 1],
        ],
      ],
      [
        `configurations beside verdicts of their own, under ${name}`,
        {
          [name]: [
            { configuration: 'with_skill', status: 'fail', expectations: halves },
            { configuration: 'without_skill', status: 'fail', expectations: [item(false)] },
          ],
        },
        [
          ['with_skill', null, 1, 2],
          ['without_skill', null, 0, 1],
        ],
      ],
    ]),
    [
      'numbers of runs, by configuration',
      {
        with_skill: [
          { run: 1, status: 'ok', expectations: halves },
          { run: 2, status: 'ok', expectations: [item(true)] },
        ],
        without_skill: [{ run_id: 'a', status: 'ok', expectations: [item(false)] }],
      },
      [
        ['with_skill', 1, 1, 2],
        ['with_skill', 2, 1, 1],
        ['without_skill', null, 0, 1],
      ],
    ],
    [
      'the name runs alone',
      {
        runs: [
          { status: 'fail', expectations: halves },
          { status: 'pass', expectations: [item(true)] },
        ],
      },
      [
        [null, null, 1, 2],
        [null, null, 1, 1],
      ],
    ],
    [
      'nothing: verdicts with parts',
      { results: [item(true, { criteria: [item(false)] }), item(false, { criteria: [item(true)] })] },
      [[null, null, 1, 2]],
    ],
  ])('runs are told by %s', (_, value, expected) => {
    const found = findGradings(value).map(({ configuration, run, grading: { summary } }) => [
      configuration,
      run,
      summary.passed,
      summary.total,
    ])
    expect(found).toEqual(expected)
  })
  test('a verdict with notes in a list is no run', () =>
    expect(arms([item(true, { notes: ['a'], results: ['b'] })])).toEqual([[null, null, 1]]))
})

test('no JSON is too odd: what is found fits the schema', () => {
  const name = fc.constantFrom('expectations', 'runs', 'with_skill', 'summary', 'passed', 'total', 'pass_rate', 'run')
  const leaf = fc.oneof(fc.boolean(), fc.double(), fc.integer(), fc.constantFrom(null, 'PASS', '85%', ''))
  const odd = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      leaf,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(name, tie('node'), { maxKeys: 4 }),
    ),
  })).node
  fc.assert(
    fc.property(odd, (value) => {
      for (const found of findGradings(value)) expect(() => grading.parse(found.grading)).not.toThrow()
      expect(timing.nullable().safeParse(readForeignTiming([value])).success).toBe(true)
    }),
    { numRuns: 2000, seed: 7 },
  )
})
test('gradings in each other end somewhere', () => {
  const deep = Array.from({ length: 5000 }).reduce<unknown>(
    (inner) => ({ with_skill: inner, without_skill: inner }),
    {},
  )
  expect(findGradings(deep)).toEqual([])
})

describe('time is', () => {
  test.each<[object, number | undefined]>([
    [{ total_duration_seconds: 12.5 }, 12.5],
    [{ duration_ms: 12_500 }, 12.5],
    [{ totalDurationSeconds: 12.5, durationMs: 1 }, 12.5],
    [{ elapsedMs: '12,500' }, 12.5],
    [{ duration_ms: 12_500, durationMs: 99 }, 12.5],
    [{ total_duration_seconds: 12.5, duration_ms: 12_512 }, 12.5],
    [{ duration_ms: 0, total_cost_usd: 0.1 }, undefined],
    [{ duration_seconds: 0, elapsed_seconds: 12.5 }, 12.5],
    [{ duration: 12.5, total_duration: 12.5 }, undefined],
    [{ duration_seconds: '12.5s' }, undefined],
    [{ duration_seconds: '1,2' }, undefined],
    [{ duration_seconds: -1 }, undefined],
  ])('in %j', (fields, seconds) => expect(readForeignTiming([fields])?.total_duration_seconds).toBe(seconds))
})

describe('tokens are', () => {
  test.each<[object, number | undefined]>([
    [{ total_tokens: 30 }, 30],
    [{ tokens: '30' }, 30],
    [{ prompt_tokens: 20, completion_tokens: 10 }, 30],
    [{ tokens: { total: 30 } }, 30],
    [{ usage: { total: 30 }, total: 5 }, 30],
    [{ total_tokens: 0, total_cost_usd: 0.1 }, undefined],
    [{ usage: { promptTokens: 20, completionTokens: 10 } }, 30],
    [{ usage: { total: 30 } }, 30],
    [{ execution_metrics: { input_tokens: 20, output_tokens: 10 } }, 30],
    [{ execution_metrics: { total: 30, total_tool_calls: 9, output_chars: 99 } }, undefined],
    [{ total: 30 }, undefined],
    [{ tokens: 'many' }, undefined],
    [{ total_tokens: -5 }, undefined],
    [{ input_tokens: -5, output_tokens: 10 }, undefined],
    [{ usage: { prompt_tokens: 'x', completion_tokens: 10 } }, undefined],
  ])('in %j', (fields, tokens) => expect(readForeignTiming([fields])?.total_tokens).toBe(tokens))
})

test('the first source that knows a measure gives it', () => {
  expect(readForeignTiming([null, { duration_ms: 1000 }, { durationMs: 2000, cost: '0.5' }])).toEqual({
    total_duration_seconds: 1,
    total_cost_usd: 0.5,
  })
  expect(readForeignTiming([{ passed: 3 }, { total_tokens: null, note: 'none' }, null, 'x', [1]])).toBeNull()
})

test('what is no amount is named, as text and under other names too', () => {
  const odd = {
    total_tokens: -5,
    usage: { prompt_tokens: 'x' },
    duration_ms: 0,
    tokens: '1,234',
    cost: '',
    total: null,
  }
  expect(findUnusableMeasures(odd)).toEqual([
    'total_tokens: -5 is not an amount, so it is unknown',
    'prompt_tokens: "x" is not an amount, so it is unknown',
  ])
  expect(findUnusableMeasures({ durationMs: 1e17, usage: { total: '99999999999999999' } })).toEqual([
    'duration_ms: 100000000000000000 is too large to be used',
    'total: 100000000000000000 is too large to be used',
  ])
})

test('too many entries are refused, hidden folders and packages do not count', async () => {
  const root = fresh()
  for (const folder of ['a', '.git', 'node_modules']) mkdirSync(path.join(root, folder))
  for (const file of ['a/1', 'a/2', '.git/3', 'node_modules/4']) writeFileSync(path.join(root, file), '')
  expect([...(await walkTree(root, 3)).names]).toEqual(['a/1', 'a/2'])
  await expect(walkTree(root, 2)).rejects.toThrow(`${root}: more than 2 files and folders`)
})
