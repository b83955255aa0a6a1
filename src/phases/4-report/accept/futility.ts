/** Looks at the blocks so far: a candidate that will hardly win any more gets no further runs. Stopping early accepts nothing, so it costs no error. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { comparable } from '../stats/case_scores.ts'
import { meanOf, varianceOf } from '../stats/moments.ts'
import { normalCdf, normalQuantile } from '../stats/quantiles.ts'
import { round } from '../stats/round.ts'
import { alphaAt } from './alpha.ts'
import type { MetCase } from './met_case.ts'

type Look = GateResult['looks'][number]

export interface LookAt {
  cases: readonly MetCase[]
  blocks: number
  planned: number
  alpha: number
}

/** Below this chance of winning it ends. */
const leastChance = 0.15

/** Whether a candidate may end here for want of hope: from a fifth of the blocks on, and not after the first. */
export function isLookedAt(blocks: number, planned: number): boolean {
  return blocks >= Math.min(planned, Math.max(2, Math.ceil(planned / 5)))
}

export function isFutile({ chance }: Look): boolean {
  return chance < leastChance
}

/**
 * The chance of winning at the end were the true gain one standard error above what is seen: conditional power by the B-value of
 * Lan and Wittes (1988).
 */
export function chanceOf({ cases, blocks, planned, alpha }: LookAt): Look {
  const known = comparable(cases)
  const difference = known.length === 0 ? 0 : meanOf(known.map((one) => meanOf(one.candidate) - meanOf(one.baseline)))
  const error = standardError(known)
  const chance = winningChance({ difference, error, share: blocks / planned, alpha: alphaAt(alpha, planned, planned) })
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

/** Of the difference on these cases; a cell in which nothing varied counts as if one more run had gone the other way. */
export function standardError(cases: readonly MetCase[]): number {
  let variance = 0
  for (const { candidate, baseline } of cases) {
    for (const scores of [candidate, baseline]) {
      const n = scores.length
      const mean = (meanOf(scores) * n + 0.5) / (n + 1)
      variance += Math.max(varianceOf(scores), n < 4 ? mean * (1 - mean) : 0) / n
    }
  }
  return Math.sqrt(variance) / Math.max(1, cases.length)
}
