/** `check`, `bench --dry-run` and the report of the runs agree on what a suite of any size can say about similar cases. */
import { describe, expect, test } from 'vitest'
import { checkReport } from '../../../../schemas/check_report.ts'
import { formatVariedCases, planSimilarCases } from '../../../../src/base/smallest_design.ts'
import { computeDetectable } from '../../../../src/phases/4-report/stats/build_statistics.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { casesLikeThese } from '../../../../src/phases/4-report/stats/scopes/similar_cases.ts'
import type { CaseScores } from '../../../../src/phases/4-report/stats/scores/case_scores.ts'
import { usualOptions } from '../../../../src/phases/4-report/stats/statistics_options.ts'
import { makeSkill } from '../../../e2e/program.ts'
import { runMain } from '../../run_main.ts'

const topics = ['rent', 'fuel', 'food', 'books']
const runs = 3

/** What can be said about similar cases: nothing, a difference that is the same in every case, or one that varies too. */
const reaches = ['none', 'uniform', 'varied'] as const
type Reach = (typeof reaches)[number]

function suiteOf(cases: number, criteria: number): string {
  return makeSkill(
    Array.from({ length: cases }, (_, at) => ({
      id: at + 1,
      prompt: `Add up the receipts of week ${at + 1}`,
      expectations: topics.slice(0, criteria).map((topic) => `The sum of week ${at + 1} has ${topic} apart`),
    })),
  )
}

async function readCheck(skill: string): Promise<{ reach: Reach; fix: string }> {
  const { stdout } = await runMain(['check', skill, '--json'])
  const problems = checkReport.parse(JSON.parse(stdout)).skills.flatMap((one) => one.problems)
  const found = problems.find(({ rule }) => rule === 'suite-small' || rule === 'suite-uniform-only')
  const reach = found === undefined ? 'varied' : found.rule === 'suite-small' ? 'none' : 'uniform'
  return { reach, fix: found?.fix ?? '' }
}

async function readDryRun(skill: string): Promise<{ reach: Reach; line: string }> {
  const args = ['bench', skill, '--engine', 'command:true', '--judge', 'command:true', '--dry-run']
  const { stdout, stderr } = await runMain(args)
  const line = stdout.split('\n').find((one) => one.startsWith('detects ')) ?? stderr
  const isNone = line.includes('; for similar cases you need at least') || line.includes('for similar cases at least')
  const reach = isNone ? 'none' : line.includes('only a large difference') ? 'uniform' : 'varied'
  return { reach, line }
}

/** The advised cases: "6 cases, or 7–9 if the difference varies" or "7–9 cases for one that varies". */
const advisedSize = (text: string) => /(?:or|write|with) (\d+(?:–\d+)?) (?:if|cases)/.exec(text)?.[1]

type Pass = (at: number, arm: 'candidate' | 'baseline', run: number, criterion: number) => boolean

function simulate(cases: number, criteria: number, pass: Pass): CaseScores[] {
  const scoresOf = (at: number, arm: 'candidate' | 'baseline') =>
    Array.from({ length: runs }, (_, run) => {
      const passed = Array.from({ length: criteria }, (__, criterion) => pass(at, arm, run, criterion)).filter(Boolean)
      return passed.length / criteria
    })
  return Array.from({ length: cases }, (_, at) => ({
    candidate: scoresOf(at, 'candidate'),
    baseline: scoresOf(at, 'baseline'),
    expectations: criteria,
  }))
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
const round = (value: number) => value.toFixed(6)
const mde = (cases: readonly CaseScores[]) => computeDetectable(cases, usualOptions).cases_like_these
const report = (cases: readonly CaseScores[]) => casesLikeThese(cases, usualOptions)

/** Outcomes of all kinds: skills that help by any amount, runs whose criteria agree or not, cases that are alike or not. */
function drawOutcomes(cases: number, criteria: number): CaseScores[][] {
  const random = createSeededRandom(100 * cases + criteria)
  return Array.from({ length: 30 }, () => {
    const [base, gain, isAlike, isWhole] = [random(), random() * 2 - 1, random() < 0.5, random() < 0.3]
    const rates = Array.from({ length: cases }, () => (isAlike ? base : random()))
    return simulate(cases, criteria, (at, arm, _, criterion) => {
      const rate = (rates[at] ?? 0) + (arm === 'candidate' ? gain : 0)
      return isWhole && criterion > 0 ? rate > 0.5 : random() < rate
    })
  })
}

/** The sizes beside which another thing can be said, and one far from them. */
describe.each([
  [1, [1, 4, 5, 6, 8, 9, 20]],
  [2, [5, 6, 7]],
  [4, [5, 6]],
])('suites with %i criteria in each case', (criteria, sizes) => {
  test.each(sizes)('%i cases', async (cases) => {
    const skill = suiteOf(cases, criteria)
    const [check, dryRun] = [await readCheck(skill), await readDryRun(skill)]
    expect(dryRun.reach, dryRun.line).toBe(check.reach)
    expect(advisedSize(dryRun.line)).toBe(advisedSize(check.fix))
    const { reach } = check
    const fewestVaried = { 1: 9, 2: 7, 4: 6 }[criteria] ?? 0
    if (reach !== 'varied') expect(advisedSize(check.fix)).toBe({ 1: '9', 2: '7–9', 4: '6–9' }[criteria])

    for (const outcome of drawOutcomes(cases, criteria)) {
      const { difference, verdict, needed_for_margin: more } = report(outcome)
      const offered = [null, 'beta_bound', 'paired_t'].indexOf(difference.method)
      expect(offered).toBeLessThanOrEqual(reaches.indexOf(reach))
      if (mde(outcome) !== null) expect(difference.method).toBe('paired_t')
      if (reach === 'none') expect(verdict).toBe('inconclusive')
      // what it advises after the runs is never less than what was said to be needed before them
      const isUniform = new Set(outcome.map((one) => round(mean(one.candidate) - mean(one.baseline)))).size === 1
      if (typeof more === 'number') expect(cases + more).toBeGreaterThanOrEqual(isUniform ? 6 : fewestVaried)
    }
    // the other way round: what was said to be possible is, with the best outcome
    const uniform = simulate(cases, criteria, (_, arm) => arm === 'candidate')
    expect(report(uniform).verdict).toBe(reach === 'none' ? 'inconclusive' : 'helps')
    const varied = simulate(cases, criteria, (at, arm, run, criterion) =>
      arm === 'candidate' ? run + criterion < criteria + 1 - (at % 2) : run === 0 && criterion === 0 && at % 4 > 1,
    )
    expect(report(varied).verdict).toBe(reach === 'varied' ? 'helps' : 'inconclusive')
  })
})

test.each([
  [1, 1, '17'],
  [1, 4, '8–17'],
  [3, 1, '9'],
  [3, 2, '7–9'],
  [3, 4, '6–9'],
  [12, 1, '6'],
])('docs/explanation/statistics.md: %i runs of %i expectations need %s cases', (each, expectations, range) =>
  expect(formatVariedCases(planSimilarCases(each, [expectations]))).toBe(range),
)
