/** Corrects a rate for the judge's errors, estimated from a sample that people labelled (Lee et al. 2025, arXiv 2511.21140). */

export interface JudgeSample {
  /** The share of statements passed by people that the judge passed, and how many independent labels that rests on. */
  sensitivity: number
  positives: number
  /** The share of statements failed by people that the judge failed, and how many independent labels that rests on. */
  specificity: number
  negatives: number
}

/** The judge's errors over all labels, and of each configuration; null: a configuration has too few labels of its own. */
export interface JudgeErrors {
  pooled: JudgeSample
  byConfiguration: Readonly<Record<string, JudgeSample>> | null
  /** The configuration that the judge favours; absent: the labels don't show that its errors differ. */
  favours?: { configuration: string; pValue: number }
}

export function findJudgeSample({ pooled, byConfiguration }: JudgeErrors, configuration: string | null): JudgeSample {
  return byConfiguration?.[configuration ?? ''] ?? pooled
}

/** With one label more that the judge got right, and one that it got wrong: never 0 or 1, so that they have a variance. */
export interface SmoothedErrors {
  sensitivity: number
  specificity: number
  /** Sensitivity + specificity − 1: by this factor the judge's errors shrink a difference. Above 0. */
  slope: number
  variance: { sensitivity: number; specificity: number }
}

/** null: the judge is not better than chance, as seen or smoothed. */
export function smoothJudgeErrors(judge: JudgeSample): SmoothedErrors | null {
  const [sensitivity, specificity] = [
    smoothShare(judge.sensitivity, judge.positives),
    smoothShare(judge.specificity, judge.negatives),
  ]
  const slope = sensitivity + specificity - 1
  if (slope <= 0 || judge.sensitivity + judge.specificity <= 1) return null
  return {
    sensitivity,
    specificity,
    slope,
    variance: {
      sensitivity: (sensitivity * (1 - sensitivity)) / (judge.positives + 2),
      specificity: (specificity * (1 - specificity)) / (judge.negatives + 2),
    },
  }
}

export function smoothShare(share: number, labels: number): number {
  return (labels * share + 1) / (labels + 2)
}

/** The share that people would pass, from 0 to 1, where the judge passes `rate`. */
export function correctShare(rate: number, { sensitivity, specificity }: JudgeSample): number {
  return Math.min(1, Math.max(0, (rate + specificity - 1) / (sensitivity + specificity - 1)))
}
