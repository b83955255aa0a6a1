/** Estimates the judge's errors from people's labels: of each configuration where it has enough labels, else of all together. */
import { countEach } from '../../base/totals.ts'
import { uniqueDecisions } from '../../flows/labels/judge_decisions.ts'
import { normalCdf, normalQuantile } from '../../phases/4-report/stats/distributions/quantiles.ts'
import { type JudgeErrors, type JudgeSample, smoothShare } from '../../phases/4-report/stats/scores/judge_error.ts'
import { usualOptions, usualPower } from '../../phases/4-report/stats/statistics_options.ts'

/** One decision of a judge; `met`: the person's verdict, null: nobody was asked. */
export interface AuditedDecision {
  id: string
  run_id: string
  configuration: string
  passed: boolean
  met: boolean | null
}

/** A configuration has errors of its own if people passed so many of its statements, and failed so many, in every configuration. */
export const leastOwnLabels = 10

/** null: people say that all statements are met, or that none is. */
export function estimateJudgeErrors(decisions: readonly AuditedDecision[]): JudgeErrors | null {
  const pooled = estimateJudgeSample(decisions)
  if (pooled === null) return null
  const own = countOwnLabels(decisions).map((one) => ({ ...one, sample: estimateJudgeSample(one.decisions) }))
  const isEnough = own.every(({ labels }) => labels >= leastOwnLabels)
  const favours = findFavoured(own)
  return {
    pooled,
    ...(favours && { favours }),
    byConfiguration: isEnough
      ? Object.fromEntries(own.flatMap(({ name, sample }) => (sample === null ? [] : [[name, sample]])))
      : null,
  }
}

/** `labels`: of passed or of failed statements, whichever are fewer. */
function countOwnLabels(decisions: readonly AuditedDecision[]) {
  const names = [...new Set(decisions.map(({ configuration }) => configuration))]
  return names.map((name) => {
    const some = uniqueDecisions(decisions.filter(({ configuration }) => configuration === name))
    const count = (met: boolean) => some.filter((one) => one.met === met).length
    return { name, decisions: some, labels: Math.min(count(true), count(false)) }
  })
}

/**
 * The configuration whose statements the judge passes more readily, by the difference of two shares (Agresti and Caffo 2000): among the
 * statements that people passed, and among those that they failed, each at half of alpha. null: not shown.
 */
function findFavoured(own: readonly { name: string; sample: JudgeSample | null }[]): JudgeErrors['favours'] | null {
  const [first, second] = own
  if (!first?.sample || !second?.sample || own.length > 2) return null
  const [a, b] = [smoothShares(first.sample), smoothShares(second.sample)]
  const scores = a.map(({ passed, variance }, at) => {
    return (passed - (b[at]?.passed ?? 0)) / Math.sqrt(variance + (b[at]?.variance ?? 0))
  })
  const pValue = Math.min(1, 2 * Math.min(...scores.map((score) => 2 * normalCdf(-Math.abs(score)))))
  const excess = scores.reduce((sum, score) => sum + score, 0)
  return pValue > usualOptions.alpha ? null : { configuration: excess > 0 ? first.name : second.name, pValue }
}

/** What the judge passes of the statements that people passed, and of those that they failed. */
function smoothShares({ sensitivity, positives, specificity, negatives }: JudgeSample) {
  const found = [
    { passed: smoothShare(sensitivity, positives), labels: positives },
    { passed: 1 - smoothShare(specificity, negatives), labels: negatives },
  ]
  return found.map(({ passed, labels }) => ({ passed, variance: (passed * (1 - passed)) / (labels + 2) }))
}

/** A difference between the configurations in the judge's errors that labels should show. */
const notableFavour = 0.2

/** Labels of passed and of failed statements in each configuration that show it with 80% power; null: there are as many. */
export function labelsToTell(decisions: readonly AuditedDecision[], { pooled, favours }: JudgeErrors): number | null {
  const labels = countOwnLabels(decisions)
  if (favours !== undefined || labels.length !== 2) return null
  const shares = [smoothShare(pooled.sensitivity, pooled.positives), smoothShare(pooled.specificity, pooled.negatives)]
  const spread = Math.max(...shares.map((share) => share * (1 - share)))
  const quantiles = normalQuantile(1 - usualOptions.alpha / 4) + normalQuantile(usualPower)
  const needed = Math.max(leastOwnLabels, Math.ceil(2 * spread * (quantiles / notableFavour) ** 2))
  return labels.every((own) => own.labels >= needed) ? null : needed
}

/**
 * null: people say that all statements are met, or that none is. Passes and fails may be audited at different rates, so each label is
 * weighted by the decisions per label of its verdict and configuration.
 */
export function estimateJudgeSample(decisions: readonly AuditedDecision[]): JudgeSample | null {
  const once = uniqueDecisions(decisions)
  const weigh = decisionsPerLabel(once)
  const labels = once.flatMap((one) =>
    one.met === null
      ? []
      : { cluster: one.run_id, met: one.met, value: one.passed === one.met ? 1 : 0, weight: weigh(one) },
  )
  const sensitivity = clusteredShare(labels.filter(({ met }) => met))
  const specificity = clusteredShare(labels.filter(({ met }) => !met))
  if (sensitivity === null || specificity === null) return null
  return {
    sensitivity: sensitivity.share,
    positives: sensitivity.effective,
    specificity: specificity.share,
    negatives: specificity.effective,
  }
}

/** By verdict and configuration; by verdict alone if such a group has no label. */
function decisionsPerLabel(once: readonly AuditedDecision[]): (one: AuditedDecision) => number {
  const byBoth = ({ configuration, passed }: AuditedDecision) => `${passed} ${configuration}`
  const byVerdict = ({ passed }: AuditedDecision) => `${passed}`
  const labelled = once.filter(({ met }) => met !== null)
  const covered = new Set(labelled.map(byBoth))
  const groupOf = once.every((one) => covered.has(byBoth(one))) ? byBoth : byVerdict
  const [all, known] = [countEach(once.map(groupOf)), countEach(labelled.map(groupOf))]
  return (one) => (all.get(groupOf(one)) ?? 0) / (known.get(groupOf(one)) ?? 1)
}

interface ClusteredValue {
  cluster: string
  /** 0 or 1. */
  value: number
  weight: number
}

/**
 * The weighted share of ones, and how many independent values would tell as much: values of one cluster depend on each other. The variance
 * is the cluster-robust one, with one value more of each kind as a cluster of its own, so that it is never 0. null: no values.
 */
export function clusteredShare(values: readonly ClusteredValue[]): { share: number; effective: number } | null {
  if (values.length === 0) return null
  const count = values.length
  const unit = values.reduce((sum, { weight }) => sum + weight, 0) / count
  const share = values.reduce((sum, { weight, value }) => sum + weight * value, 0) / (unit * count)
  const smoothed = smoothShare(share, count)
  const residuals = new Map<string, number>()
  for (const { cluster, value, weight } of values) {
    residuals.set(cluster, (residuals.get(cluster) ?? 0) + (weight / unit) * (value - smoothed))
  }
  const squares = [...residuals.values()].reduce((sum, one) => sum + one * one, 0) + smoothed ** 2 + (1 - smoothed) ** 2
  const variance = squares / (count + 2) ** 2
  // a single cluster tells nothing about its own spread
  const independent = ((smoothed * (1 - smoothed)) / variance) * (1 - 1 / residuals.size) - 2
  return { share, effective: Math.min(count, Math.max(1, independent)) }
}
