/** Whether there is anything to find: what v0 leaves to gain, beside what two equal arms differ by and what the gate can see. */
import type { History } from '../../../../schemas/history.ts'
import { comparable } from '../stats/case_scores.ts'
import { meanOf, varianceOf } from '../stats/moments.ts'
import { round } from '../stats/round.ts'
import { withinInterval } from '../stats/within.ts'
import type { MetCase } from './met_case.ts'
import { type GateDesign, gatePower } from './power.ts'

type Headroom = NonNullable<History['headroom']>

/** `cases`: v0 against itself. */
export function headroomOf(cases: readonly MetCase[], design: Omit<GateDesign, 'variance'>): Headroom {
  const known = comparable(cases)
  const shares = known.flatMap((one) => [...one.candidate, ...one.baseline])
  const rate = shares.length === 0 ? 0 : meanOf(known.map((one) => meanOf([...one.candidate, ...one.baseline])))
  const interval = withinInterval(known, 0.05)
  const noise = interval === null ? 1 : (interval.high - interval.low) / 2
  const variance = meanOf(known.map((one) => varianceOf([...one.candidate, ...one.baseline])))
  // where nothing varied the next runs still may
  const { detectable } = gatePower({ ...design, variance: Math.max(variance, 0.04) })
  const room = 1 - rate
  const isEnough = known.length > 0 && room > 0 && room >= detectable
  const percent = (share: number) => `${Math.round(100 * share)}`
  const size = `v0 meets ${percent(rate)}% of its expectations, ${percent(room)} points are left; by the spread of these runs the gate finds a gain of ${percent(detectable)} points`
  const noiseText = `two equal arms differ by up to ${percent(noise)} here`
  return {
    pass_rate: round(rate, 6),
    room: round(room, 6),
    noise: round(noise, 6),
    detectable: round(detectable, 6),
    enough: isEnough,
    message: isEnough
      ? `${size}, ${noiseText}`
      : `${size} (${noiseText}): there is no room for one; harder cases or more runs would make some`,
  }
}
