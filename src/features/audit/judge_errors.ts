/** Estimates the judge's errors from people's labels: of each configuration where it has enough labels, else of all together. */
import { uniqueDecisions } from '../../flows/labels/judge_decisions.ts'
import { type JudgeErrors, type JudgeSample, smoothShare } from '../../phases/4-report/stats/scores/judge_error.ts'

/** One decision of a judge; `met`: the person's verdict, null: nobody was asked. */
export interface AuditedDecision {
  id: string
  run_id: string
  configuration: string
  passed: boolean
  met: boolean | null
}

/** A configuration has errors of its own if people passed so many of its statements, and failed so many, in every configuration. */
const leastOwnLabels = 10

/** null: people say that all statements are met, or that none is. */
export function estimateJudgeErrors(decisions: readonly AuditedDecision[]): JudgeErrors | null {
  const pooled = estimateJudgeSample(decisions)
  if (pooled === null) return null
  const names = [...new Set(decisions.map(({ configuration }) => configuration))]
  const own = names.map((name) => {
    const some = uniqueDecisions(decisions.filter(({ configuration }) => configuration === name))
    const count = (met: boolean) => some.filter((one) => one.met === met).length
    return { name, sample: estimateJudgeSample(some), labels: Math.min(count(true), count(false)) }
  })
  const isEnough = own.every(({ labels }) => labels >= leastOwnLabels)
  return {
    pooled,
    byConfiguration: isEnough
      ? Object.fromEntries(own.flatMap(({ name, sample }) => (sample === null ? [] : [[name, sample]])))
      : null,
  }
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
  const [all, known] = [countGroups(once.map(groupOf)), countGroups(labelled.map(groupOf))]
  return (one) => (all.get(groupOf(one)) ?? 0) / (known.get(groupOf(one)) ?? 1)
}

function countGroups(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
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
