/** Noise estimates: the baseline compared with itself, and the part of the variance that comes from grading. */
import type { Noise } from '../../../../../schemas/benchmark_statistics.ts'
import { sum, toGroups } from '../../../../base/totals.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import { moderatedT } from '../tests/moderated_t.ts'
import type { CaseScores } from './case_scores.ts'

/** From two identical arms (A/A): the difference, and the half width of its interval. null: no case. */
export function measureCalibrationNoise(cases: readonly CaseScores[], alpha: number): Noise['calibration'] {
  const interval = moderatedT(cases, { alpha })
  if (interval === null) return null
  const n_runs = cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0)
  return { difference: round(interval.mean, 6), floor: round((interval.high - interval.low) / 2, 6), n_runs }
}

/**
 * `cells`: by case × arm, then by run, the scores of repeated gradings of one transcript. Returns the variance between gradings, and the
 * rest between runs (at least 0; null: no cell has two runs). null: no run was graded twice.
 */
export function splitNoise(cells: readonly (readonly (readonly number[])[])[]): Noise['grading'] {
  const again = cells.flat().filter((scores) => scores.length > 1)
  if (again.length === 0) return null
  const grading = sampleMean(again.map(sampleVariance))
  return {
    execution_variance: executionVariance(cells, grading),
    grading_variance: round(grading, 6),
    n_runs: cells.flat().length,
    gradings: cells.flat().reduce((sum, scores) => sum + scores.length, 0),
  }
}

function executionVariance(cells: readonly (readonly (readonly number[])[])[], grading: number): number | null {
  const repeated = cells.filter((runs) => runs.length > 1)
  if (repeated.length === 0) return null
  const between = sampleMean(repeated.map((runs) => sampleVariance(runs.map(sampleMean))))
  const share = sampleMean(repeated.flat().map((scores) => 1 / scores.length))
  return round(Math.max(0, between - grading * share), 6)
}

/** A run of a conversation: its repeated gradings, and all messages of the user as one text. */
export interface ConversationScores {
  scores: readonly number[]
  dialogue: string
}

/**
 * `cells`: by case × arm, the runs of conversations. The variance that different messages of the user add to the runs' scores: one-way
 * random effects with the dialogue as the factor, never below 0. null: no two runs of a cell had the same dialogue.
 */
export function dialogueVariance(cells: readonly (readonly ConversationScores[])[]): number | null {
  const repeated = cells.flatMap(groupByDialogue).filter((means) => means.length > 1)
  if (repeated.length === 0) return null
  const freedom = sum(repeated.map((means) => means.length - 1))
  const within = sum(repeated.map((means) => sampleVariance(means) * (means.length - 1))) / freedom
  const several = cells.filter((runs) => runs.length > 1)
  const excess = sum(several.map((runs) => sampleVariance(runs.map(({ scores }) => sampleMean(scores))) - within))
  const weight = sum(several.map(differentPairs))
  return round(weight === 0 ? 0 : Math.max(0, excess / weight), 6)
}

/** The mean scores of a cell's runs, by dialogue. */
function groupByDialogue(runs: readonly ConversationScores[]): number[][] {
  return [...toGroups(runs, ({ dialogue }) => dialogue).values()].map((group) =>
    group.map(({ scores }) => sampleMean(scores)),
  )
}

/** The share of a cell's pairs of runs that had different dialogues. */
function differentPairs(runs: readonly ConversationScores[]): number {
  const same = sum(groupByDialogue(runs).map(({ length }) => length * (length - 1)))
  return 1 - same / (runs.length * (runs.length - 1))
}
