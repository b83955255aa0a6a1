/** A rate corrected for the judge's errors, known from a sample that people labelled (Lee et al. 2025, arXiv 2511.21140). */
import { clip, type Interval } from './interval.ts'
import { normalQuantile } from './quantiles.ts'

export interface JudgeSample {
  /** Share of what people passed that the judge passed, and how many people passed. */
  sensitivity: number
  positives: number
  /** Share of what people failed that the judge failed, and how many people failed. */
  specificity: number
  negatives: number
}

/** `rate`: the judge's, of n verdicts. Null where the judge is no better than chance. */
export function correctForJudge(
  { rate, n, alpha }: { rate: number; n: number; alpha: number },
  judge: JudgeSample,
): (Interval & { rate: number }) | null {
  if (judge.sensitivity + judge.specificity <= 1) return null
  const z = normalQuantile(1 - alpha / 2)
  const smooth = (share: number, size: number) => (size * share + 1) / (size + 2)
  const [q0, m0] = [smooth(judge.specificity, judge.negatives), judge.negatives + 2]
  const [q1, m1] = [smooth(judge.sensitivity, judge.positives), judge.positives + 2]
  const p = (n * rate + (z * z) / 2) / (n + z * z)
  const slope = q0 + q1 - 1
  const middle = (p + q0 - 1) / slope
  const shift = 2 * z * z * ((-(1 - middle) * q0 * (1 - q0)) / m0 + (middle * q1 * (1 - q1)) / m1)
  const variance =
    (p * (1 - p)) / (n + z * z) + ((1 - middle) ** 2 * q0 * (1 - q0)) / m0 + (middle ** 2 * q1 * (1 - q1)) / m1
  const half = (z * Math.sqrt(variance)) / slope
  const estimate = (rate + judge.specificity - 1) / (judge.sensitivity + judge.specificity - 1)
  return {
    rate: Math.min(1, Math.max(0, estimate)),
    ...clip({ low: middle + shift - half, high: middle + shift + half }, [0, 1]),
  }
}
