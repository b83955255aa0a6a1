/** One look at a candidate after a block: it has won, it is over, or it goes on. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { alphaAt } from './alpha.ts'
import { chanceOf, isFutile, isLookedAt } from './futility.ts'
import { gateVerdict, type Met } from './verdict.ts'

type Look = GateResult['looks'][number]

/** The next block after which there is a look; at the last the planned one. */
export function nextLook(blocks: number, planned: number): number {
  let next = blocks + 1
  while (next < planned && alphaAt(1, next, planned) === 0 && !isLookedAt(next, planned)) next += 1
  return Math.min(next, planned)
}

/** `verdict` null: it goes on. `look` null: this block was not looked at. */
export interface Looked {
  look: Look | null
  verdict: GateResult | null
}

/** `met.alpha` is that of the candidate; what this look may spend of it follows from the block. */
export function lookAt(met: Met): Looked {
  const { blocks, planned, alpha } = met
  const now = alphaAt(alpha, blocks, planned)
  if (now === 0 && !isLookedAt(blocks, planned)) return { look: null, verdict: null }
  const look = chanceOf(met)
  const looks = [...met.looks, look]
  if (now > 0) {
    const verdict = gateVerdict({ ...met, looks }, now)
    if (blocks >= planned || verdict.result === 'won') return { look, verdict }
  }
  return { look, verdict: isFutile(look) ? gateVerdict({ ...met, looks }, now) : null }
}
