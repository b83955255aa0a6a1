/** Gates: what they may say, what is refused before anything is paid for, and what passes. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../../schemas/benchmark.ts'
import { UserError } from '../../../../src/base/errors/error.ts'
import { judgeGate } from '../../../../src/phases/4-report/gate/check_gates.ts'
import {
  benchmarkGateSubject,
  findUnknownStep,
  parseGate,
  parsePathSteps,
  shortNames,
} from '../../../../src/phases/4-report/gate/parse_gate.ts'

const golden = path.join(import.meta.dirname, '../golden/benchmark.json')
const made = benchmark.parse(JSON.parse(readFileSync(golden, 'utf8')))
const mean = made.run_summary.with_skill?.pass_rate.mean ?? Number.NaN

/** The golden benchmark with these numbers in it. */
function withDifference(ci_low: number | null, verdict: string) {
  const scope = { difference: { mean: 0.25, ci_low, ci_high: 0.4, p_value: 0.01 }, verdict }
  return { ...made, statistics: { scopes: { these_cases: scope, cases_like_these: scope } } } as unknown as typeof made
}

describe('a judge that favours a configuration', () => {
  const audited = (rule: string) => {
    const given = withDifference(0.1, 'helps') as unknown as { statistics: { scopes: Record<string, object> } }
    const scopes = { ...given.statistics.scopes, these_cases: { ...given.statistics.scopes.these_cases, rule } }
    return {
      ...given,
      statistics: { scopes },
      audit: { favours: { configuration: 'with_skill', p_value: 0.01 } },
    } as unknown as typeof made
  }
  test.each([
    ['difference > 0', true],
    ['verdict == helps', true],
    ['like_these.difference > 0', false],
    ['run_summary.with_skill.pass_rate.mean > -1', false],
    ['suspicious != 1', true],
  ])('%s passes where the difference is corrected: %s; never on what is not', (text, passed) => {
    const gate = parseGate(text)
    const corrected = judgeGate(gate, {
      ...audited('judge_corrected: p'),
      injection_attempts: { runs: 0 },
    } as unknown as typeof made)
    expect(corrected.passed, corrected.message).toBe(passed)
    if (!passed) expect(corrected.message).toContain('not corrected: the judge favours with_skill')
    if (/^(difference|verdict)/.test(text))
      expect(judgeGate(gate, audited('judge_favours_a_configuration')).passed).toBe(false)
  })
})

test.each([
  ['ci_low > 0', false],
  ['verdict != hurts', false],
  ['difference > 0', false],
  ['like_these.verdict != hurts', false],
  ['run_summary.delta.pass_rate != "x"', false],
  ['time_ratio != 7', false],
  ['run_summary.with_skill.pass_rate.mean > -1', true],
  ['suspicious != 1', true],
])('recorded sessions have no comparison to pass a gate: %s passes: %s; of a benchmark it does', (text, passed) => {
  const given = { ...withDifference(0.1, 'helps'), injection_attempts: { runs: 0 } } as unknown as typeof made
  const ratios = { time_seconds: { ratio: 2 } }
  const one = { ...given, statistics: { ...given.statistics, ratios } } as unknown as typeof made
  const gate = parseGate(text)
  expect(judgeGate(gate, { ...one, observational: true }).passed).toBe(passed)
  expect(judgeGate(gate, one).passed).toBe(true)
  if (!passed) expect(judgeGate(gate, { ...one, observational: true }).message).toContain('observational')
})

describe('passes or not, with what was found', () => {
  test.each<[string, number | null, string, boolean, string]>([
    ['ci_low > 0', 0.1, 'helps', true, 'is 0.1'],
    ['ci_low > 0', 0, 'helps', false, 'is 0'],
    ['ci_low >= 0', 0, 'helps', true, 'is 0'],
    ['ci_low < 0', 0, 'helps', false, 'is 0'],
    ['ci_low<0', -0.1, 'hurts', true, 'is -0.1'],
    ['ci_low > 5%', 0.06, 'helps', true, 'is 0.06'],
    ['ci_low > -0.05', -0.04, 'helps', true, 'is -0.04'],
    ['ci_low > 1e-3', 0.01, 'helps', true, 'is 0.01'],
    ['run_summary[with_skill].pass_rate.mean > 1', 0.1, 'helps', false, `is ${mean}`],
    ['run_summary.nobody.pass_rate.mean == null', 0.1, 'helps', true, 'not in this benchmark'],
    ['run_summary.nobody.pass_rate.mean != null', 0.1, 'helps', false, 'not in this benchmark'],
    ['difference <= 0.25', 0.1, 'helps', true, 'is 0.25'],
    ['ci_low > 0', null, 'inconclusive', false, 'not known'],
    ['ci_low == null', null, 'inconclusive', true, 'is null'],
    ['verdict == helps', 0.1, 'helps', true, 'is helps'],
    ['verdict != "hurts"', 0.1, 'hurts', false, 'is hurts'],
    ['like_these.verdict == helps', 0.1, 'inconclusive', false, 'is inconclusive'],
    ['complete == true', 0.1, 'helps', made.complete === true, `is ${made.complete}`],
    ['verdict == 1', 0.1, 'helps', false, 'is helps, a string, compared with a number'],
    [`pass_rate >= ${mean}`, 0.1, 'helps', true, `is ${mean}`],
    ['runs[0].eval_id > 0', 0.1, 'helps', true, `is ${made.runs[0]?.eval_id}`],
    ['statistics.scopes == null', 0.1, 'helps', false, 'not a single value'],
  ])('%s where ci_low is %s and the verdict %s: %s', (text, low, verdict, passed, message) => {
    const result = judgeGate(parseGate(text), withDifference(low, verdict))
    expect({ passed: result.passed, message: result.message }).toEqual({ passed, message })
  })
  test('candidate and baseline stand for the arms, and for nothing else', () => {
    const { arms, expectations = [] } = made.statistics ?? {}
    const found = (text: string) => judgeGate(parseGate(text), made).value
    expect(found('statistics.arms.baseline.mean >= 0')).toBe(arms?.without_skill?.mean)
    expect(found('statistics.expectations[0].candidate.total >= 0')).toBe(expectations[0]?.candidate.total)
    expect(arms?.without_skill?.mean).not.toBe(arms?.with_skill?.mean)
  })
  test('one on the wide interval of looks says so where it fails', () => {
    const { statistics, ...rest } = withDifference(-0.5, 'helps')
    const looked = { ...rest, statistics: { ...statistics, until: { looks: [] } } } as unknown as typeof made
    expect(judgeGate(parseGate('ci_low > 0'), looked).message).toContain('gate on the verdict')
    expect(judgeGate(parseGate('ci_low > -1'), looked).message).toBe('is -0.5')
    expect(judgeGate(parseGate('like_these.ci_low > 0'), looked).message).toBe('is -0.5')
    const none = '; with --until there is no verdict for similar cases'
    expect(judgeGate(parseGate('like_these.verdict == hurts'), looked).message).toBe(`is helps${none}`)
    expect(judgeGate(parseGate('like_these.p_value < 0.001'), looked).message).toBe(`is 0.01${none}`)
    expect(judgeGate(parseGate('like_these.verdict == hurts'), withDifference(0, 'helps')).message).toBe('is helps')
  })
  test('a benchmark without statistics passes no gate that asks for them', () => {
    const { statistics: _, ...older } = made
    expect(judgeGate(parseGate('verdict != hurts'), older)).toMatchObject({
      passed: false,
      message: 'not in this benchmark',
    })
  })
})

describe('is refused at once', () => {
  const mistake = (text: string) => {
    try {
      parseGate(text)
    } catch (error) {
      if (error instanceof UserError) return `${error.message} | ${error.fix}`
    }
    return 'taken'
  }
  test.each([
    ['ci_low', /expected the form "<name> <operator> <value>".*such as/],
    ['ci_low => 0', /\| did you mean "ci_low >= 0"\?$/],
    ['ci_low ≥ 0', /\| did you mean "ci_low >= 0"\?$/],
    ['verdict = helps', /\| did you mean "verdict == helps"\?$/],
    ['verdict <> helps', /\| did you mean "verdict != helps"\?$/],
    ['ci_lo > 0', /no "ci_lo" \| did you mean "ci_low"\?/],
    [
      'statistics.scopes.these_case.verdict == helps',
      /statistics\.scopes has no "these_case" \| did you mean "these_cases"\?/,
    ],
    ['cost.agent_us < 3', /did you mean .*"agent_usd"\?/],
    ['verdict > helps', /> needs a number, got "helps"/],
    ['cost < $5', /invalid value "\$5"/],
    ['cost < 5 && ci_low > 0', /invalid value/],
  ])('%s', (text, wanted) => expect(mistake(text)).toMatch(wanted))
})

test.each([
  ['a.b[2].c', ['a', 'b', 2, 'c']],
  ['a[my.arm].c', ['a', 'my.arm', 'c']],
  ['a.2', ['a', '2']],
])('the steps of %s', (text, wanted) => expect(parsePathSteps(text)).toEqual(wanted))

test('the short names, each for its own path', () => {
  const of = (scope: string, prefix: string) => ({
    [`${prefix}verdict`]: `statistics.scopes.${scope}.verdict`,
    [`${prefix}difference`]: `statistics.scopes.${scope}.difference.mean`,
    [`${prefix}ci_low`]: `statistics.scopes.${scope}.difference.ci_low`,
    [`${prefix}ci_high`]: `statistics.scopes.${scope}.difference.ci_high`,
    [`${prefix}p_value`]: `statistics.scopes.${scope}.difference.p_value`,
  })
  const ratio = (name: string) => `statistics.ratios.${name}.ratio`
  expect(shortNames).toMatchObject({
    ...{ ...of('these_cases', ''), ...of('cases_like_these', 'like_these.') },
    ...{ pass_rate: 'run_summary.candidate.pass_rate.mean', cost: 'cost.agent_usd' },
    baseline_pass_rate: 'run_summary.baseline.pass_rate.mean',
    ...{ time_ratio: ratio('time_seconds'), tokens_ratio: ratio('tokens'), cost_ratio: ratio('cost_usd') },
  })
})

test.each(Object.entries(shortNames))('the short name %s is a path of the schema', (name, full) => {
  expect(findUnknownStep(full.split('.'), benchmarkGateSubject)).toBeNull()
  expect(parseGate(`${name} == null`).path).toEqual(full.split('.'))
})

describe('no gate on a difference passes while the baseline is not concurrent', () => {
  const older_runs = {
    is_concurrent: false,
    reason: 'old',
    baseline_age_seconds: 0,
    untested: { without_skill: 1 },
    tests: [],
  }
  const { statistics } = withDifference(0.1, 'inconclusive')
  const arms = { with_skill: { mean: 1 }, without_skill: { mean: 0 } }
  const judge = (text: string, is_concurrent: boolean) => {
    const changed = { ...made, statistics: { ...statistics, arms, older_runs: { ...older_runs, is_concurrent } } }
    return judgeGate(parseGate(text), changed as unknown as typeof made)
  }
  test.each([
    ['difference > 0', false],
    ['verdict != hurts', false],
    ['like_these.verdict != hurts', false],
    ['run_summary.delta.pass_rate != x', false],
    ['baseline_pass_rate >= 0', false],
    ['run_summary.without_skill.pass_rate.mean >= 0', false],
    ['statistics.arms.baseline.mean == 0', false],
    ['cases[0].delta != 7', false],
    ['pass_rate >= 0', true],
    ['statistics.arms.candidate.mean == 1', true],
    ['statistics.older_runs.is_concurrent == false', true],
    ['suspicious >= 0', true],
  ])('%s', (text, passes) => {
    expect(judge(text, false).passed).toBe(passes)
    if (!passes) expect(judge(text, false).message).toContain('baseline not concurrent: old')
    if (!text.includes('is_concurrent')) expect(judge(text, true).passed, 'negative control').toBe(true)
  })
})
