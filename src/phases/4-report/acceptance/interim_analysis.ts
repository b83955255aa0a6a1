/** One interim analysis of a candidate after a block: it won, it is over, or it continues. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { lookAlpha } from './alpha_spending.ts'
import { type GateTrial, gateVerdict } from './candidate_verdict.ts'
import { canEndForFutility, estimateWinningChance, isFutile } from './futility.ts'

type Look = GateResult['looks'][number]

/** The next block with an interim analysis; at the latest the last planned block. */
export function findNextLook(blocks: number, planned: number): number {
  let next = blocks + 1
  while (next < planned && lookAlpha(1, next, planned) === 0 && !canEndForFutility(next, planned)) next += 1
  return Math.min(next, planned)
}

/** `verdict` null: it continues. `look` null: no analysis after this block. */
export interface LookOutcome {
  look: Look | null
  verdict: GateResult | null
}

/** `met.alpha` is the candidate's alpha; the block decides how much of it this analysis may spend. */
export function evaluateCandidateLook(met: GateTrial): LookOutcome {
  const { blocks, planned, alpha } = met
  const now = lookAlpha(alpha, blocks, planned)
  if (now === 0 && !canEndForFutility(blocks, planned)) return { look: null, verdict: null }
  const look = estimateWinningChance(met)
  const looks = [...met.looks, look]
  if (now > 0) {
    const verdict = gateVerdict({ ...met, looks }, now)
    if (blocks >= planned || verdict.result === 'won') return { look, verdict }
  }
  return { look, verdict: isFutile(look) ? gateVerdict({ ...met, looks }, now) : null }
}
