/** What a calibration says of a later benchmark: the noise of exactly its cases, or nothing. */
import { describe, expect, test } from 'vitest'
import type { Calibration } from '../../../../schemas/calibration.ts'
import { calibrationScores, noiseOfCases } from '../../../../src/flows/report/calibrations.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { confidenceNotes } from '../../../../src/phases/4-report/text/headline.ts'
import { arm, inputOf, resultOf } from '../fixture.ts'

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

test('the scores of both arms by case, what is marked an indicator left out', () => {
  const statements = ['The agent read SKILL.md', 'The total is right']
  const both = [...arm(1, 'without_skill_again', ['--', '-+']), ...arm(1, 'without_skill', ['++', '-+'])]
  const arms = { candidate: 'without_skill_again', baseline: 'without_skill' }
  const made = aggregate(
    inputOf(
      both.map((line) => ({ ...line, statements })),
      arms,
    ),
  )
  expect(calibrationScores(made)).toEqual([{ eval_id: 1, first: [1, 1], again: [0, 1] }])
})

describe('noiseOfCases', () => {
  const cases = [1, 2, 3, 4, 5, 6].map((eval_id) => ({ eval_id, ...(eval_id < 5 ? noisy : steady) }))
  test('is that of the cases asked for: noisy ones alone are noisier than all', () => {
    const all = noiseOfCases(kept(cases), [1, 2, 3, 4, 5, 6, 6])
    const some = noiseOfCases(kept(cases), [1, 2, 3, 4])
    expect(all).toMatchObject({ n_runs: 60, runs: 5, made: '2026-01-15T10:30:00.000Z' })
    expect(some?.n_runs).toBe(40)
    expect(some?.floor ?? 0).toBeGreaterThan(all?.floor ?? 1)
    expect(some?.difference).toBeCloseTo(-0.2)
    const fewer = { eval_id: 9, first: [1, 0, 1], again: [1, 0] }
    expect(noiseOfCases(kept([...cases, fewer]), [1, 9])?.runs).toBe(2)
  })
  test('is not known where one of the cases was not seen, or none is asked for', () => {
    expect(noiseOfCases(kept(cases), [1, 7])).toBeNull()
    expect(noiseOfCases(kept(cases), [])).toBeNull()
    expect(noiseOfCases(kept([{ eval_id: 1, first: [1], again: [] }]), [1])).toBeNull()
  })
})

test('sentences: a difference within the noise, and one beyond it', () => {
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
})

test.each<[string, string, string, number | undefined]>([
  ['under the same criteria', '+-', 'same', 2],
  ['under others', '+-', 'other', undefined],
  ['with an undecided expectation', '+?', 'same', undefined],
])('a run graded again %s', (_, verdicts, graded_key, gradings) => {
  const input = inputOf(arm(1, 'with_skill', ['++'], { grading: { graded_key: 'same' } }))
  const lines = arm(1, 'with_skill', [verdicts], { grading: { graded_key } })
  const again = lines.flatMap((line) => resultOf(line).grading ?? [])
  const results = new Map([...input.results].map(([id, result]) => [id, { ...result, again }]))
  expect(aggregate({ ...input, results }).statistics?.noise?.grading?.gradings).toBe(gradings)
})

test('sentences: the part of the variance that comes from grading, and from the messages of the user', () => {
  const variances = { execution_variance: 0.04, grading_variance: 0.01, dialogue_variance: 0.01 }
  const noise = { calibration: null, grading: { ...variances, n_runs: 4, gradings: 8 } }
  const lines = [...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]
  const { statistics, ...made } = aggregate(inputOf(lines))
  expect(confidenceNotes({ ...made, statistics: statistics && { ...statistics, noise } })).toContain(
    "Graded 2 times, a run's score varies by 10 points (standard deviation): 20% of the variance between runs comes from grading. Of the rest, 25% comes from different messages of the user.",
  )
})
