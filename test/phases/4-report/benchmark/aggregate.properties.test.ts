/** Laws of the aggregator: the order of its input changes nothing, and every planned run is counted once. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { benchmark } from '../../../../schemas/benchmark.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
import { pageIn } from '../../../viewer/unpack.ts'
import { inputOf, type Line } from '../fixture.ts'
import { toHtml } from '../page_html.ts'

const ends: fc.Arbitrary<Pick<Line, 'verdicts' | 'record'>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.constantFrom('+', '-', '?'), { maxLength: 5 })
      .map((marks) => ({ verdicts: marks.join('') })),
  },
  fc.constant({ verdicts: null }),
  fc.constant({ verdicts: null, record: 'none' as const }),
  fc.constant({ verdicts: null, record: { status: 'cancelled' } }),
  fc.constant({ verdicts: '--', record: { status: 'timed_out', cost: null } }),
  fc
    .constantFrom('crash', 'overloaded')
    .map((kind) => ({ verdicts: null, record: { status: 'failed', error: { kind, message: 'm' } } })),
)
const line: fc.Arbitrary<Line> = fc
  .record({
    evalId: fc.integer({ min: 0, max: 12 }),
    arm: fc.constantFrom('with_skill' as const, 'without_skill' as const),
    run: fc.integer({ min: 1, max: 12 }),
    seconds: fc.integer({ min: 0, max: 90_000 }).map((ms) => ms / 1000),
    tokens: fc.option(fc.integer({ min: 100, max: 100_000 })),
  })
  .chain((base) => ends.map((end) => ({ ...base, ...end })))
const lines = fc.uniqueArray(line, { selector: (one) => `${one.evalId} ${one.arm} ${one.run}`, maxLength: 40 })
const onTimeout = fc.constantFrom('fail' as const, 'exclude' as const)

test('the order of cases, runs and results changes nothing', () => {
  fc.assert(
    fc.property(lines, onTimeout, (some, timeouts) => {
      const input = inputOf(some, { onTimeout: timeouts })
      const turned = {
        ...input,
        cases: input.cases.toReversed(),
        planned: input.planned.toReversed(),
        results: new Map([...input.results].reverse()),
      }
      expect(JSON.stringify(aggregate(turned))).toBe(JSON.stringify(aggregate(input)))
    }),
  )
})

test('used, ungraded and excluded add up to planned', () => {
  fc.assert(
    fc.property(lines, onTimeout, (some, timeouts) => {
      const { counts, runs, excluded_runs, complete } = aggregate(inputOf(some, { onTimeout: timeouts }))
      const excluded = Object.values(counts?.excluded ?? {}).reduce((sum, one) => sum + one, 0)
      expect((counts?.used ?? 0) + (counts?.ungraded ?? 0) + excluded).toBe(some.length)
      expect(runs.length + (excluded_runs?.length ?? 0)).toBe(some.length)
      if (complete) expect(excluded).toBe(counts?.excluded.timed_out ?? 0)
    }),
  )
})

test('it fits its schema, says the same when written and read, and renders', () => {
  fc.assert(
    fc.property(lines, (some) => {
      const made = aggregate(inputOf(some))
      const read = benchmark.parse(JSON.parse(JSON.stringify(made)))
      expect(read).toEqual(made)
      expect([toMarkdown(read), pageIn(toHtml(read))]).toEqual([toMarkdown(made), pageIn(toHtml(made))])
    }),
    { numRuns: 30 },
  )
})

test('a run more that passes all never lowers the candidate', () => {
  fc.assert(
    fc.property(lines, (some) => {
      const before = aggregate(inputOf(some)).run_summary.with_skill?.pass_rate.mean ?? 0
      const extra: Line = { evalId: 99, arm: 'with_skill', run: 1, verdicts: '++' }
      expect(aggregate(inputOf([...some, extra])).run_summary.with_skill?.pass_rate.mean).toBeGreaterThanOrEqual(before)
    }),
  )
})
