/** Whether there is a gain to find: the points that v0 does not pass, compared with noise and with what the gate can detect. */
import type { History } from '../../../../schemas/history.ts'
import { sampleMean, sampleVariance } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { moderatedT } from '../stats/tests/moderated_t.ts'
import type { PairedCase } from './compared_case.ts'
import { type GateDesign, gatePower } from './gate_power.ts'

type Headroom = NonNullable<History['headroom']>

/** `cases`: v0 compared with itself. */
export function measureHeadroom(cases: readonly PairedCase[], design: Omit<GateDesign, 'variance'>): Headroom {
  const known = keepComparable(cases)
  const shares = known.flatMap((one) => [...one.candidate, ...one.baseline])
  const rate = shares.length === 0 ? 0 : sampleMean(known.map((one) => sampleMean([...one.candidate, ...one.baseline])))
  const interval = moderatedT(known, { alpha: 0.05 })
  const noise = interval === null ? 1 : (interval.high - interval.low) / 2
  const variance = sampleMean(known.map((one) => sampleVariance([...one.candidate, ...one.baseline])))
  // without variation so far, the next runs may still vary
  const { detectable } = gatePower({ ...design, variance: Math.max(variance, 0.04) })
  const room = 1 - rate
  const isEnough = known.length > 0 && room > 0 && room >= detectable
  const percent = (share: number) => `${Math.round(100 * share)}`
  const size = `v0 has a pass rate of ${percent(rate)}%, so ${percent(room)} points are left; the gate can detect a gain of ${percent(detectable)} points with the variation of these runs`
  const noiseText = `v0 compared with itself has a 95% CI of ±${percent(noise)} points`
  return {
    pass_rate: round(rate, 6),
    room: round(room, 6),
    noise: round(noise, 6),
    detectable: round(detectable, 6),
    enough: isEnough,
    message: isEnough
      ? `${size}, ${noiseText}`
      : `${size} (${noiseText}), so no gain can be shown: add harder cases or more runs`,
  }
}
