/** A quantity is computed once: what any report says of 200 random benchmarks agrees with benchmark.json, to the last digit that it shows. */
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Benchmark } from '../../schemas/benchmark.ts'
import { meanOrNull, toGroups } from '../../src/base/totals.ts'
import { showResult } from '../../src/cli/commands/bench/print.ts'
import { commentText } from '../../src/features/github/comment_text.ts'
import { summarizeBenchmarkResult } from '../../src/features/mcp/results.ts'
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import type { JudgeErrors } from '../../src/phases/4-report/stats/scores/judge_error.ts'
import { toGithub } from '../../src/phases/4-report/text/github.ts'
import { toJunit } from '../../src/phases/4-report/text/junit_report.ts'
import { toMarkdown } from '../../src/phases/4-report/text/markdown.ts'
import { inputOf, type Line } from '../phases/4-report/fixture.ts'
import { toHtml } from '../phases/4-report/page_html.ts'
import { pageIn } from '../viewer/unpack.ts'

interface Quantity {
  mean: number | null
  ci_low: number | null
  ci_high: number | null
  p_value?: number | null
  candidate_mean?: number | undefined
  baseline_mean?: number | undefined
}

/** What a report says of a difference: "+62 points, 95% CI [39, 84], p < 0.001". */
interface Said {
  text: string
  points: string
  low: string | undefined
  high: string | undefined
  p: string | undefined
}

const pattern = /([+-]?\d+(?:\.\d+)?) points?(?:, [\d.]+% CI \[(-?[\d.]+), (-?[\d.]+)\](?:, p ([<=] [\d.]+))?)?/g

function listSaid(text: string): Said[] {
  const plain = stripVTControlCharacters(text)
    .replaceAll('\\', '')
    .replace(/&#?\w+;/g, ' ')
    .replace(/\s+/g, ' ')
    // margin, power and noise are no difference of the benchmark
    .replace(/(?:difference of|loss of|within ±|by up to|differ by|per) ?\d+(?:\.\d+)? points?/g, ' ')
  return [...plain.matchAll(pattern)].map(([said, points = '', low, high, p]) => ({ text: said, points, low, high, p }))
}

/** Whether the text is the value, rounded to as many digits as it shows. */
function isShown(text: string | undefined, value: number | null | undefined, scale = 100): boolean {
  if (text === undefined) return true
  if (value === null || value === undefined) return false
  const digits = text.split('.')[1]?.length ?? 0
  return Math.abs(Number(text) - scale * value) <= 0.5 * 10 ** -digits + 1e-6
}

function isSameP(text: string | undefined, value: number | null | undefined): boolean {
  if (text === undefined) return true
  const [sign, number = ''] = text.split(' ')
  return sign === '<' ? (value ?? 1) < Number(number) : isShown(number, value, 1)
}

function listQuantities({ statistics, cases = [] }: Benchmark): Quantity[] {
  const { scopes, judge_difference: corrected } = statistics ?? {}
  const none = { ci_low: null, ci_high: null }
  return [
    ...(scopes ? [scopes.these_cases.difference, scopes.cases_like_these.difference] : []),
    ...(corrected ? [corrected] : []),
    ...(corrected?.as_judged ? [corrected.as_judged] : []),
    ...cases.map(({ delta }) => ({ mean: delta, ...none })),
    // what changed over several cases is the mean of their own differences
    ...[...toGroups(statistics?.expectations ?? [], ({ text }) => text).values()].map((own) => ({
      mean: meanOrNull(own.flatMap(({ discrimination }) => discrimination ?? [])),
      ...none,
    })),
  ]
}

async function readTerminal(benchmark: Benchmark, makesMissing = false): Promise<string> {
  const written: string[] = []
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const paths = { benchmark: 'b', markdown: 'm', report: 'r' }
  const files = { folder: '/w', paths, page: true, folders: new Map(), prompts: null }
  try {
    const how = { json: false, interrupted: false, makesMissing }
    await showResult({ benchmark, ...files, prompts: { cases: [] } }, how)
    return written.join('')
  } finally {
    output.mockRestore()
  }
}

async function readReports(benchmark: Benchmark): Promise<Record<string, string>> {
  const named = { name: 'sales-report', benchmark, gates: [] }
  const facts = { id: 'a', status: 'benched' as const, problem: null, report: null, job: null, commit: null }
  const { said } = pageIn(toHtml(benchmark))
  return {
    terminal: await readTerminal(benchmark),
    markdown: toMarkdown(benchmark),
    page: [
      said.headline,
      ...said.sureness,
      ...said.rows.flat(),
      ...(said.changed?.rows.map(({ shown }) => `${shown.difference} points`) ?? []),
    ].join('\n'),
    scopes: Object.values(said.scopes ?? {})
      .map(({ points, interval }) => (points === '' ? '' : `${points} points${interval === '' ? '' : `, ${interval}`}`))
      .join('\n'),
    github: toGithub([named]).join('\n'),
    junit: toJunit([named]),
    mcp: summarizeBenchmarkResult(benchmark, '/w', '/').sentence,
    comment: commentText({ ...facts, skills: [{ ...named, error: null }] }),
  }
}

const shares = fc.record({
  sensitivity: fc.integer({ min: 60, max: 99 }).map((percent) => percent / 100),
  specificity: fc.integer({ min: 60, max: 99 }).map((percent) => percent / 100),
  positives: fc.integer({ min: 10, max: 80 }),
  negatives: fc.integer({ min: 10, max: 80 }),
})
const judge: fc.Arbitrary<JudgeErrors | null> = fc.option(
  fc
    .record({ pooled: shares, own: shares, other: shares, isFond: fc.boolean() })
    .map(({ pooled, own, other, isFond }) => ({
      pooled,
      byConfiguration: { with_skill: own, without_skill: other },
      ...(isFond && { favours: { configuration: 'with_skill', pValue: 0.01 } }),
    })),
)
const design = fc.record({
  cases: fc.integer({ min: 1, max: 12 }),
  runs: fc.integer({ min: 1, max: 6 }),
  verdicts: fc.integer({ min: 1, max: 13 }),
  rates: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  seed: fc.integer({ min: 1, max: 1e6 }),
  judge,
})

function drawLines({ cases, runs, verdicts, rates, seed }: typeof design extends fc.Arbitrary<infer D> ? D : never) {
  let state = seed
  const next = () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
  const lines: Line[] = []
  for (let evalId = 1; evalId <= cases; evalId += 1)
    for (const [at, arm] of (['with_skill', 'without_skill'] as const).entries())
      for (let run = 1; run <= runs; run += 1) {
        const marks = Array.from({ length: verdicts }, () => (next() < (rates[at] ?? 0) ? '+' : '-'))
        lines.push({ evalId, arm, run, verdicts: marks.join(''), seconds: 5 + 20 * next() })
      }
  return lines
}

test('every difference, interval and p-value in terminal, Markdown, page, annotations, JUnit, MCP and comment is one of benchmark.json', async () => {
  let [seen, corrected] = [0, 0]
  const property = fc.asyncProperty(design, async (drawn) => {
    const benchmark = aggregate(inputOf(drawLines(drawn), { statistics: { judge: drawn.judge } }))
    const quantities = listQuantities(benchmark)
    const own = quantities[0]
    corrected += benchmark.statistics?.judge_difference?.as_judged ? 1 : 0
    for (const [where, text] of Object.entries(await readReports(benchmark))) {
      const said = listSaid(text)
      for (const one of said) {
        const isKnown = quantities.some(
          ({ mean, ci_low, ci_high, p_value }) =>
            isShown(one.points, mean) &&
            isShown(one.low, ci_low) &&
            isShown(one.high, ci_high) &&
            isSameP(one.p, p_value),
        )
        expect(isKnown, `${where}: ${one.text} in ${text.slice(0, 900)} is none of ${JSON.stringify(quantities)}`).toBe(
          true,
        )
      }
      for (const [, candidate, baseline] of text
        .replace(/\s+/g, ' ')
        .matchAll(/pass rate (\d+)% with the skill, (\d+)% without/g)) {
        expect([isShown(candidate, own?.candidate_mean), isShown(baseline, own?.baseline_mean)]).toEqual([true, true])
      }
      if (said.length === 0) continue
      seen += said.length
      if (where !== 'scopes')
        expect(isShown(said[0]?.points, own?.mean), `${where} begins with ${said[0]?.text}`).toBe(true)
    }
    const { result } = summarizeBenchmarkResult(benchmark, '/w', '/')
    const { mean, ci_low, ci_high, p_value } = benchmark.statistics?.scopes?.these_cases.difference ?? {}
    expect(result.difference).toEqual({ mean, ci_low, ci_high, p_value })
  })
  await fc.assert(property, { numRuns: 200, seed: 52 })
  expect(seen).toBeGreaterThan(2000)
  expect(corrected).toBeGreaterThan(20)
})

test('bench warns of the family of the judge before the runs, and not again after them', async () => {
  const lines = drawLines({ cases: 2, runs: 2, verdicts: 2, rates: [1, 0], seed: 1, judge: null })
  const { metadata } = inputOf(lines)
  const own = { ...metadata, executorModel: 'claude-sonnet-5-5', judge: 'anthropic:claude-opus-5-5' }
  const benchmark = aggregate(inputOf(lines, { metadata: own }))
  const family = "from the agent's model family"
  expect([toMarkdown(benchmark), await readTerminal(benchmark)].every((text) => text.includes(family))).toBe(true)
  expect(await readTerminal(benchmark, true)).not.toContain(family)
})

test('control: a number that is off by one point is found', () => {
  const quantity = { mean: 0.123, ci_low: 0.02, ci_high: 0.22, p_value: 0.014 }
  const [said] = listSaid('Helps: **+12 points, 95% CI \\[2, 22\\], p = 0.014** (8 cases)')
  expect([
    isShown(said?.points, quantity.mean),
    isShown(said?.low, quantity.ci_low),
    isSameP(said?.p, quantity.p_value),
  ]).toEqual([true, true, true])
  expect(isShown('+13', quantity.mean)).toBe(false)
  expect(isShown('12.4', quantity.mean)).toBe(false)
  expect(isSameP('= 0.02', quantity.p_value)).toBe(false)
  expect(isSameP('< 0.001', quantity.p_value)).toBe(false)
})
