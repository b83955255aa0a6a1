/** How often a fall of the level would be found in time, simulated with the watch's own function. */
import { createSeededRandom } from '../stats/distributions/seeded_random.ts'
import { followLevel, type LevelRun } from './level_evidence.ts'

export interface DetectionDesign {
  /** Pass rate of each case before the fall, 0 to 1. */
  rates: readonly number[]
  /** Earlier runs of each case. */
  baselineRuns: number
  runsPerNight: number
  nights: number
  /** Fall of the mean, as a share of 1. */
  fall: number
  limit: number
  detect: number
}

const lives = 200

/** The share of 200 simulated watches that alarm within the nights, if every case loses the same share of its pass rate in the first night. */
export function computeDetectionChance(design: DetectionDesign): number {
  const { rates, nights, fall, limit, detect } = design
  const mean = rates.reduce((sum, one) => sum + one, 0) / rates.length
  const kept = mean === 0 ? 1 : Math.max(0, 1 - fall / mean)
  const lowered = rates.map((rate) => rate * kept)
  const random = createSeededRandom(1)
  const draw = (from: readonly number[], at: number): LevelRun => {
    const eval_id = at % from.length
    return { eval_id, score: random() < (from[eval_id] ?? 0) ? 1 : 0 }
  }
  let found = 0
  for (let life = 0; life < lives; life += 1) {
    const baseline = Array.from({ length: rates.length * design.baselineRuns }, (_, at) => draw(rates, at))
    const steps = Array.from({ length: nights }, (_, night) => ({
      runs: Array.from({ length: design.runsPerNight }, (__, run) => draw(lowered, night * design.runsPerNight + run)),
    }))
    const ends = followLevel(baseline, steps, { limit, detect, direction: 'fall', seed: life })
    if (ends.some(({ isAlarm }) => isAlarm)) found += 1
  }
  return found / lives
}
