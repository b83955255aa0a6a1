/** Reads the weight and the score of each verdict in a grading of another tool. */
import type { GradedExpectation } from '../../../schemas/grading.ts'
import { mostUsable, toForeignFields } from './pick_values.ts'

export type VerdictMarks = Pick<GradedExpectation, 'weight' | 'score' | 'diagnostic'>

/**
 * In the order of the list. Weights are read if all of the list are above 0, scores if all are from 0 to 1; others, such as marks from 1
 * to 10, are not.
 */
export function readVerdictMarks(list: readonly unknown[]): VerdictMarks[] {
  const fields = list.map((item) => toForeignFields(item) ?? {})
  const fits = (name: string, isOnScale: (value: number) => boolean) =>
    fields.every(({ [name]: value }) => value == null || (typeof value === 'number' && isOnScale(value)))
  const hasWeights = fits('weight', (value) => value > 0 && value <= mostUsable)
  const hasScores = fits('score', (value) => value >= 0 && value <= 1)
  return fields.map(({ weight, score, diagnostic }) => ({
    ...(hasWeights && typeof weight === 'number' && { weight }),
    ...(hasScores && typeof score === 'number' && { score }),
    ...(diagnostic === true && { diagnostic }),
  }))
}
