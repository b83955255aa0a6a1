/** Futility: a candidate that will hardly win gets no further runs. Stopping early accepts nothing, so it spends no alpha. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { normalCdf, normalQuantile } from '../stats/distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { lookAlpha } from './alpha_spending.ts'
import type { PairedCase } from './compared_case.ts'

type Look = GateResult['looks'][number]

export interface FutilityRequest {
  cases: readonly PairedCase[]
  blocks: number
  planned: number
  alpha: number
}

/** A candidate stops below this chance of winning. */
const leastChance = 0.15

/** Whether a candidate may stop for futility here: after a fifth of the blocks, but not after the first block. */
export function canEndForFutility(blocks: number, planned: number): boolean {
  return blocks >= Math.min(planned, Math.max(2, Math.ceil(planned / 5)))
}

export function isFutile({ chance }: Look): boolean {
  return chance < leastChance
}

/**
 * The chance of winning at the end if the true gain is one standard error above the observed one. Conditional power by the B-value (Lan and
 * Wittes 1988).
 */
export function estimateWinningChance({ cases, blocks, planned, alpha }: FutilityRequest): Look {
  const known = keepComparable(cases)
  const difference =
    known.length === 0 ? 0 : sampleMean(known.map((one) => sampleMean(one.candidate) - sampleMean(one.baseline)))
  const error = standardError(known)
  const chance = winningChance({
    difference,
    error,
    share: blocks / planned,
    alpha: lookAlpha(alpha, planned, planned),
  })
  return { blocks, difference: round(difference, 6), chance: round(chance, 6) }
}

function winningChance({
  difference,
  error,
  share,
  alpha,
}: {
  difference: number
  error: number
  share: number
  alpha: number
}) {
  if (error === 0) return difference > 0 ? 1 : 0
  const z = difference / error
  if (share >= 1) return z >= normalQuantile(1 - alpha) ? 1 : 0
  const drift = (z + 1) / Math.sqrt(share)
  const at = z * Math.sqrt(share) + drift * (1 - share)
  return normalCdf((at - normalQuantile(1 - alpha)) / Math.sqrt(1 - share))
}

/** Of the difference on these cases. A cell without variation counts as if one more run had gone the other way. */
export function standardError(cases: readonly PairedCase[]): number {
  let variance = 0
  for (const { candidate, baseline } of cases) {
    for (const scores of [candidate, baseline]) {
      const n = scores.length
      const mean = (sampleMean(scores) * n + 0.5) / (n + 1)
      variance += Math.max(sampleVariance(scores), n < 4 ? mean * (1 - mean) : 0) / n
    }
  }
  return Math.sqrt(variance) / Math.max(1, cases.length)
}
