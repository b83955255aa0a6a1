/** Benchmarks over time: points in order, the newest of each version, model and agent, costs by month, the chart, and hostile text in it. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { trend as trendSchema } from '../../../schemas/trend.ts'
import type { TrendBenchmark, TrendPlan } from '../../../src/features/diff/trend/build_trend.ts'
import { buildTrend } from '../../../src/features/diff/trend/build_trend.ts'
import { trendHtml } from '../../../src/features/diff/trend/trend_page.ts'
import { trendHeadline, trendMarkdown, trendSections } from '../../../src/features/diff/trend/trend_text.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'

const many = (passed: number) => Array.from({ length: 5 }, (_, at) => (at < passed ? '+' : '-'))

interface Facts {
  day: string
  passed?: number
  version?: string
  model?: string
  agent?: string | null
  skill?: string
  change?: (made: Benchmark) => Benchmark
}

function found({ day, passed = 3, version = 'v1', model = 'm1', agent = '1.0', skill, change }: Facts): TrendBenchmark {
  const input = inputOf([...arm(1, 'with_skill', many(passed)), ...arm(1, 'without_skill', many(1))])
  const metadata = { ...input.metadata, executorModel: model, engineVersion: agent, skillName: skill ?? 'tidy' }
  const benchmark = aggregate({ ...input, metadata })
  const plan = {
    skill: { sha256: version.repeat(32) },
    suite: { sha256: 's' },
    options: { engine: { name: 'codex', model } },
  } as TrendPlan // only what is read of it
  return { folder: `ws/${day}`, at: new Date(`${day}T10:00:00Z`), benchmark: change?.(benchmark) ?? benchmark, plan }
}
const changed = (more: Partial<Benchmark>) => (made: Benchmark) => ({ ...made, ...more })
const cost = (agent_usd: number | null, judge_usd: number | null, more: Partial<Benchmark> = {}) =>
  changed({ cost: { agent_usd, judge_usd, unknown_runs: 0 }, ...more })
const trendOf = (...all: TrendBenchmark[]) => buildTrend(all, [], [])

describe('points', () => {
  const all = [
    found({ day: '2026-02-03', passed: 5, version: 'v2' }),
    found({ day: '2026-01-02', passed: 2 }),
    found({ day: '2026-02-01', passed: 4, model: 'm2', agent: '1.1' }),
  ]
  const trend = trendSchema.parse(buildTrend(all, [], []))

  test('come oldest first, in whatever order they were found', () => {
    expect(trend.points.map(({ folder }) => folder)).toEqual(['ws/2026-01-02', 'ws/2026-02-01', 'ws/2026-02-03'])
    expect(trend.points.map(({ lift }) => lift?.mean)).toEqual([0.2, 0.6, 0.8])
    expect(buildTrend([...all].reverse(), [], [])).toEqual(trend)
  })
  test('are grouped by version, model and agent, each by its newest', () => {
    const shown = (groups: typeof trend.by.model) =>
      groups.map(({ name, benchmarks, newest }) => [name, benchmarks, newest.candidate?.mean])
    expect(shown(trend.by.skill_version)).toEqual([
      ['v1v1v1v1v1v1', 2, 0.8],
      ['v2v2v2v2v2v2', 1, 1],
    ])
    expect(shown(trend.by.model)).toEqual([
      ['m1', 2, 1],
      ['m2', 1, 0.8],
    ])
    expect(shown(trend.by.agent_version)).toEqual([
      ['codex 1.0', 2, 1],
      ['codex 1.1', 1, 0.8],
    ])
  })
  test('two commands are two agents, shown by their command lines', () => {
    const byCommand = (day: string, command: string, name = 'command'): TrendBenchmark => {
      const made = found({ day, agent: null })
      const engine = { name, model: null, command }
      const options = { engine } as TrendPlan['options'] // only what is read of it
      return { ...made, plan: made.plan && { ...made.plan, options } }
    }
    const made = trendOf(byCommand('2026-01-01', './a.sh'), byCommand('2026-01-02', './b.sh --fast'))
    expect(made.by.agent_version.map(({ name }) => name)).toEqual(['command:./a.sh', 'command:./b.sh --fast'])
    expect(trendSections(made)[0]?.rows.map((row) => row.includes('command:./a.sh'))).toEqual([true, false])
    const overAcp = trendOf(byCommand('2026-01-01', 'gemini', 'acp'), byCommand('2026-01-02', './a.sh'))
    expect(overAcp.by.agent_version.map(({ name }) => name)).toEqual(['acp:gemini', 'command:./a.sh'])
  })
  test('benchmarks against another baseline or by another engine are a group of their own, and no old version is called "without"', () => {
    const [own, other] = [arm(1, 'new_skill', many(5)), arm(1, 'old_skill', many(2))]
    const input = inputOf([...own, ...other], { candidate: 'new_skill', baseline: 'old_skill' })
    const versions = { ...input, metadata: { ...input.metadata, skillName: 'tidy' } }
    const against = { ...found({ day: '2026-02-04', version: 'v2' }), benchmark: aggregate(versions) }
    const mixed = trendOf(found({ day: '2026-02-03', version: 'v2' }), against)
    expect(mixed.by.skill_version.map(({ benchmarks }) => benchmarks)).toEqual([1, 1])
    const [table] = trendSections(mixed)
    expect(table?.rows[1]).toEqual(expect.arrayContaining(['100% new skill', '40% old skill']))
    expect(table?.rows[0]).toEqual(expect.arrayContaining(['60% with skill', '20% without skill']))
    expect(trendHeadline(mixed)).not.toContain('then')
  })
  test('two skills are never one group', () => {
    const two = trendOf(found({ day: '2026-01-01' }), found({ day: '2026-01-02', skill: 'other' }))
    expect(two.by.model.map(({ skill, name }) => [skill, name])).toEqual([
      ['tidy', 'm1'],
      ['other', 'm1'],
    ])
    expect(trendSections(two)[0]?.header).toContain('skill')
    expect(trendSections(trend)[0]?.header).not.toContain('skill')
  })
  test('of another tool get their statistics from the runs, their unknowns stay unknown', () => {
    const change = ({ statistics: _, ...made }: Benchmark): Benchmark => made
    const [point] = trendOf({ ...found({ day: '2026-01-01', agent: null, change }), plan: null }).points
    expect(point).toMatchObject({ skill_version: null, agent_version: null, lift: { mean: 0.4 } })
    expect(point?.lift?.ci_low).toBeLessThan(0.4)
  })
  test('recorded sessions are none, and only their judge is paid', () => {
    const recorded = cost(5, 0.5, { observational: true, cost: { agent_usd: 5, judge_usd: 0.5, unknown_runs: 3 } })
    const own = found({ day: '2026-01-02' })
    const seen = trendOf(own, found({ day: '2026-01-03', change: recorded }))
    expect(seen.points.map(({ folder }) => folder)).toEqual(['ws/2026-01-02'])
    expect(seen.costs).toMatchObject([{ benchmarks: 1, agent_usd: 0.1, judge_usd: 0.52 }])
    const performed = trendOf(own, found({ day: '2026-01-03', change: cost(5, 0.5) }))
    expect([performed.points.length, performed.costs[0]?.agent_usd]).toEqual([2, 5.1])
  })
  test('calibrations are none, but are paid', () => {
    const arms = { candidate: 'without_skill_again', baseline: 'without_skill' }
    const lines = [...arm(1, 'without_skill_again', ['+']), ...arm(1, 'without_skill', ['+'])]
    const noise = { ...found({ day: '2026-01-01' }), benchmark: cost(2, 1)(aggregate(inputOf(lines, arms))) }
    const both = trendOf(noise, found({ day: '2026-01-02', change: cost(3, 1) }))
    expect(both.points).toHaveLength(1)
    expect(both.costs).toEqual([
      { month: '2026-01', benchmarks: 2, agent_usd: 5, judge_usd: 2, improve_usd: null, unknown_runs: 0 },
    ])
  })
})

describe('costs by month', () => {
  const reused = { runs: 1, oldest: '2026-01-01T00:00:00.000Z', by_configuration: {}, agent_usd: 1, judge_usd: 0.5 }
  const unpriced = { ...reused, runs: 6, agent_usd: null }
  test.each<[string, Facts['change'], object]>([
    ['what was reused counts where it was paid', cost(4, 2, { reused }), { agent_usd: 3, judge_usd: 1.5 }],
    [
      'what was reused is of unknown cost where it was made',
      changed({ cost: { agent_usd: null, judge_usd: 1, unknown_runs: 10 }, reused: unpriced }),
      { unknown_runs: 4 },
    ],
    [
      'what was reused of known cost is not among the unknown',
      changed({ cost: { agent_usd: 1, judge_usd: 1, unknown_runs: 4 }, reused: { ...reused, runs: 6 } }),
      { unknown_runs: 4 },
    ],
    ['unknown is null, never 0', cost(null, null), { agent_usd: null, judge_usd: null }],
    [
      'gradings again are the judge',
      changed({ cost: { agent_usd: 1, judge_usd: 2, again_usd: 4, unknown_runs: 3 } }),
      { agent_usd: 1, judge_usd: 6, unknown_runs: 3 },
    ],
  ])('%s', (_, change, row) => {
    const { costs } = trendOf(found({ day: '2026-03-01', ...(change && { change }) }))
    expect(costs).toMatchObject([{ month: '2026-03', improve_usd: null, ...row }])
  })
  test('months apart, the improve loop by itself', () => {
    const all = [found({ day: '2026-03-31', change: cost(1, 1) }), found({ day: '2026-04-01', change: cost(2, 1) })]
    const improved = [
      { at: new Date('2026-04-30T23:59:59Z'), usd: 0.25 },
      { at: new Date('2026-05-01T00:00:00Z'), usd: null },
    ]
    expect(buildTrend(all, improved, []).costs.map((row) => [row.month, row.agent_usd, row.improve_usd])).toEqual([
      ['2026-03', 1, null],
      ['2026-04', 2, 0.25],
      ['2026-05', null, null],
    ])
  })
})

describe('shown', () => {
  const left = [{ file: 'ws/x/benchmark.json', message: 'is cut off' }]
  const trend = buildTrend([found({ day: '2026-01-02', passed: 2 }), found({ day: '2026-02-03', passed: 5 })], [], left)

  test('headline and tables, columns of which nothing is known left out', () => {
    expect(trendHeadline(trend)).toMatch(
      /^2 benchmarks, 2026-01-02 to 2026-02-03\. tidy: \+20 \[-\d+, \d+\] points, then \+80 \[\d+, \d+\]\.$/,
    )
    const bare = trendOf({ ...found({ day: '2026-01-01', agent: null }), plan: null })
    expect(trendSections(bare)[0]?.header).not.toContain('version')
    expect(trendMarkdown(trend)).toContain('| ws/x/benchmark.json | is cut off |')
  })
  test('the page draws a dot and an interval a benchmark, and a line through those of one model', () => {
    const page = trendHtml(trend)
    expect(page.match(/<circle class="dot"/g)).toHaveLength(2)
    expect(page.match(/class="interval"/g)).toHaveLength(2)
    expect(page.match(/class="series"/g)).toHaveLength(1)
    const other = trendOf(found({ day: '2026-01-02' }), found({ day: '2026-02-03', model: 'm2' }))
    expect(trendHtml(other)).not.toContain('class="series"')
    expect(trendHtml(trendOf(found({ day: '2026-01-02' })))).not.toContain('<svg')
  })
  const chartOf = (all: readonly TrendBenchmark[]) => /<svg[\s\S]*<\/svg>/.exec(trendHtml(trendOf(...all)))?.[0] ?? ''
  describe('a benchmark of chosen cases', () => {
    const chosen = { eval_ids: [3], of: 3 }
    const some = (day: string, isChosen = false) =>
      found({ day, skill: 'pdf', change: (made) => ({ ...made, ...(isChosen && { chosen }) }) })
    const one = trendOf(some('2026-01-02'), some('2026-01-03', true))
    test('says so in its row, and is a hollow dot', () => {
      expect(trendMarkdown(one)).toContain('only case 3 of 3 cases')
      const chart = chartOf([some('2026-01-02'), some('2026-01-03', true), some('2026-01-04')])
      expect(chart.match(/<circle class="dot open"/g)).toHaveLength(1)
      expect(chart).toContain('<title>only case 3 of 3 cases</title>')
    })
    test('is neither the newest of its version nor in the headline while there is a whole one', () => {
      expect(one.by.skill_version[0]).toMatchObject({ benchmarks: 2, newest: { timestamp: one.points[0]?.timestamp } })
      expect(trendHeadline(one)).not.toContain('then')
    })
    test('control: alone it is both', () => {
      const alone = trendOf(some('2026-01-02', true), some('2026-01-03', true))
      expect(alone.by.skill_version[0]?.newest.timestamp).toBe(alone.points[1]?.timestamp)
      expect(trendHeadline(alone)).toContain('then')
    })
  })
  test('text from outside makes no markup, and the style is the one that the policy allows', () => {
    const evil = '</style><script>alert(1)</script>"><img src=x> | a\n| b \u202E'
    const hostile = buildTrend(
      [found({ day: '2026-01-02', skill: evil, model: evil, agent: evil }), found({ day: '2026-01-03', skill: evil })],
      [],
      [{ file: evil, message: evil }],
    )
    const page = trendHtml(hostile)
    expect(page).not.toMatch(/<script|<img|\u202E/)
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
    expect(page).toContain(`sha256-${createHash('sha256').update(style).digest('base64')}`)
    expect(trendMarkdown(hostile)).not.toMatch(/<script|<img|\u202E/)
    expect(trendMarkdown(hostile)).not.toMatch(/^\| b/m)
  })
})

describe('a changed level', () => {
  const day = (at: number) => `2026-03-${String(at + 1).padStart(2, '0')}`
  const series = (passed: readonly number[], change?: (at: number) => (made: Benchmark) => Benchmark) =>
    passed.map((own, at) => found({ day: day(at), passed: own, ...(change && { change: change(at) }) }))
  const marks = (all: readonly TrendBenchmark[]) =>
    trendSchema.parse(trendOf(...all)).points.flatMap(({ timestamp, level_change: change }) => {
      return change === undefined ? [] : [[timestamp.slice(0, 10), change.direction]]
    })
  const fall = [5, 5, 4, 5, 5, 5, 0, 1, 0, 0, 0]

  test('is marked at the benchmark where it began, down and up', () => {
    expect(marks(series(fall))).toEqual([[day(6), 'down']])
    expect(marks(series([0, 1, 0, 0, 0, 5, 5, 4, 5, 5]))).toEqual([[day(5), 'up']])
    expect(trendMarkdown(trendOf(...series(fall)))).toContain('level fell: 97% to')
    // the new level begins with the benchmark at which it changed: 1 of 20
    expect(trendMarkdown(trendOf(...series([5, 5, 5, 5, 5, 1, 0, 0, 0, 5, 5])))).toContain('level rose: 5% to')
    expect(trendHtml(trendOf(...series(fall))).match(/class="change"/g)).toHaveLength(1)
  })
  test('is not seen where it is noise, in reused runs, or in nights of a watch', () => {
    expect(marks(series([4, 3, 5, 4, 4, 3, 5, 4, 4, 3]))).toEqual([])
    expect(trendHtml(trendOf(...series([4, 3, 5])))).not.toContain('class="change"')
    const reused = { runs: 5, oldest: '2026-01-01T00:00:00Z', by_configuration: { with_skill: 5 }, agent_usd: null }
    expect(marks(series(fall, (at) => (made) => (at > 5 ? { ...made, reused } : made)))).toEqual([])
    const nights = series(fall).map((one) => ({ ...one, plan: one.plan && { ...one.plan, watch: true as const } }))
    expect(trendOf(...nights).points).toEqual([])
  })
  test('is not looked for across models', () => {
    const all = series(fall).map((one, at) => (at > 5 ? found({ day: day(at), passed: 0, model: 'm2' }) : one))
    expect(marks(all)).toEqual([])
  })
})
