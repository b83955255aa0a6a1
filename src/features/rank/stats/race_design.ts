/** The size of a race before anything is spent: looks, the runs that it needs at most, and those that are expected. */
import { normalCdf, normalQuantile } from '../../../phases/4-report/stats/distributions/quantiles.ts'
import { createSeededRandom, type Random } from '../../../phases/4-report/stats/distributions/seeded_random.ts'
import { computeNeededSize } from '../../../phases/4-report/stats/power/power_before_run.ts'
import { usualOptions } from '../../../phases/4-report/stats/statistics_options.ts'
import { nominalLevel } from './crossing.ts'
import { type Race, type RaceDesign, race } from './race.ts'

export interface RaceSize {
  contenders: number
  cases: number
  /** The lead of the best over the next that is to be found, from 0 to 1. */
  gap: number
  /** The chance to name the winner if it leads by the gap. */
  power: number
}

/** Looks cost runs only if nothing is found, so a race is sized to find nearly every lead of the gap. */
export const usualRacePower = 0.95
export const usualGap = 0.15

const mostLooks = 20

/** Of a run's score if every case is a coin flip, so that the size is enough for any suite. */
const runVariance = 0.25

/** Evenly spaced looks, the last after all blocks. */
export function raceLooks(blocks: number): number[] {
  const count = Math.min(mostLooks, blocks)
  return Array.from({ length: count }, (_, at) => Math.ceil(((at + 1) * blocks) / count))
}

/** The most runs per case and contender that the race needs. */
export function neededBlocks({ contenders, cases, gap, power }: RaceSize): number {
  const pairs = (contenders * (contenders - 1)) / 2
  const alpha = nominalLevel(usualOptions.alpha / pairs, mostLooks, raceLooks(mostLooks))
  // the winner is to be separated from each of the others
  const each = 1 - (1 - power) / (contenders - 1)
  const spread = { between: 0, candidate: runVariance, baseline: runVariance }
  return computeNeededSize(gap, { cases, runs: 1, alpha, power: each, spread }).runs
}

/** The fewest cases with which so many blocks are enough. */
export function neededCases(size: Omit<RaceSize, 'cases'>, blocks: number): number {
  const alone = neededBlocks({ ...size, cases: 1 })
  let cases = Math.max(1, Math.floor(alone / blocks / 2))
  while (neededBlocks({ ...size, cases }) > blocks) cases += 1
  return cases
}

export function countRaceRuns({ looks }: Pick<Race, 'looks'>, cases: number): number {
  let [runs, before] = [0, 0]
  for (const { blocks, running } of looks) {
    runs += (blocks - before) * running.length * cases
    before = blocks
  }
  return runs
}

const draws = 60

/** The mean number of runs if the best leads all others by `lead`, from seeded races of normal means. */
export function expectedRaceRuns(design: RaceDesign, { cases, lead }: { cases: number; lead: number }): number {
  const random = createSeededRandom(1)
  let sum = 0
  for (let draw = 0; draw < draws; draw += 1) sum += countRaceRuns(drawRace(design, { cases, lead, random }), cases)
  return Math.round(sum / draws)
}

function drawRace(design: RaceDesign, { cases, lead, random }: { cases: number; lead: number; random: Random }): Race {
  const most = design.looks.at(-1) ?? 0
  const paths = Array.from({ length: design.contenders }, (_, one) => {
    const sums = [0]
    const step = Math.sqrt(runVariance * cases)
    for (let block = 1; block <= most; block += 1)
      sums.push((sums[block - 1] ?? 0) + (one === 0 ? lead * cases : 0) + step * drawNormal(random))
    return sums
  })
  const finished = paths.map(() => most)
  return race(design, finished, (a, b, { blocks, level }) => {
    const difference = ((paths[a]?.[blocks] ?? 0) - (paths[b]?.[blocks] ?? 0)) / (blocks * cases)
    const error = Math.sqrt((2 * runVariance) / (blocks * cases))
    const half = -normalQuantile(level / 2) * error
    const pValue = 2 * normalCdf(-Math.abs(difference) / error)
    return { difference, low: difference - half, high: difference + half, pValue }
  })
}

/** By Box and Muller. */
function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
