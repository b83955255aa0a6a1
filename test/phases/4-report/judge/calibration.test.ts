/** What a calibration says of a later benchmark: the noise of exactly its cases, or nothing. */
import { describe, expect, test } from 'vitest'
import type { Calibration } from '../../../../schemas/calibration.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { noiseOfCases } from '../../../../src/phases/4-report/judge/calibration.ts'
import { benchmarkHeadline, confidenceNotes } from '../../../../src/phases/4-report/text/headline.ts'
import { arm, inputOf } from '../fixture.ts'

const arms = { candidate: 'without_skill_again', baseline: 'without_skill' }
const twice = (first: readonly string[], again: readonly string[], id = 1) => [
  ...arm(id, 'without_skill_again', again),
  ...arm(id, 'without_skill', first),
]
const of = { suite_sha256: 's', engine: { name: 'command', model: null }, judge: null, baseline_sha256: null }
const kept = (cases: Calibration['cases']): Calibration => ({
  schema_version: 1,
  skill_name: 'tidy',
  created_at: '2026-01-15T10:30:00.000Z',
  of,
  complete: true,
  cases,
})
const noisy = { first: [1, 0, 1, 0, 1], again: [0, 1, 0, 1, 0] }
const steady = { first: [1, 1, 1, 1, 1], again: [1, 1, 1, 1, 1] }

describe('noiseOfCases', () => {
  const cases = [1, 2, 3, 4, 5, 6].map((eval_id) => ({ eval_id, ...(eval_id < 5 ? noisy : steady) }))
  test('is that of the cases asked for: noisy ones alone are noisier than all', () => {
    const all = noiseOfCases(kept(cases), [1, 2, 3, 4, 5, 6, 6])
    const some = noiseOfCases(kept(cases), [1, 2, 3, 4])
    expect(all).toMatchObject({ n_runs: 60, runs: 5, made: '2026-01-15T10:30:00.000Z' })
    expect(some?.n_runs).toBe(40)
    expect(some?.floor ?? 0).toBeGreaterThan(all?.floor ?? 1)
    expect(some?.difference).toBeCloseTo(-0.2)
  })
  test('is not known where one of the cases was not seen, or none is asked for', () => {
    expect(noiseOfCases(kept(cases), [1, 7])).toBeNull()
    expect(noiseOfCases(kept(cases), [])).toBeNull()
    expect(noiseOfCases(kept([{ eval_id: 1, first: [1], again: [] }]), [1])).toBeNull()
  })
})

test('sentences: a difference within the noise, one beyond it, and two equal arms that differ', () => {
  const cases = [1, 2, 3, 4].map((eval_id) => ({ eval_id, ...noisy }))
  const noise = { calibration: noiseOfCases(kept(cases), [1, 2, 3, 4]), grading: null }
  const said = (candidate: string[], baseline: string[]) => {
    const lines = [1, 2, 3, 4].flatMap((id) => [
      ...arm(id, 'with_skill', candidate),
      ...arm(id, 'without_skill', baseline),
    ])
    return confidenceNotes(aggregate({ ...inputOf(lines), statistics: { noise } })).find((note) => /^Noise/.test(note))
  }
  const points = Math.round(100 * (noise.calibration?.floor ?? 0))
  const known = `Noise: the baseline differs from itself by up to ${points} points with 5 runs per case`
  expect(said(['+', '-'], ['+', '-'])).toBe(`${known}; this difference is within that.`)
  expect(said(['+', '+'], ['-', '-'])).toBe(`${known}.`)
  expect(points).toBeGreaterThan(10)
  const odd = [1, 2, 3, 4].flatMap((id) => twice(Array(6).fill('-'), Array(6).fill('+'), id))
  expect(benchmarkHeadline(aggregate(inputOf(odd, arms)))).toMatch(
    /^Baseline differs from itself: .* for the baseline against itself: \+100 points, .* check what changed between the two\.$/,
  )
})
