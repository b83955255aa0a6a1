/** What several looks at growing data cost: the chance that equal contenders ever seem this different, at any of the looks. */
import { normalCdf, normalQuantile } from '../../../phases/4-report/stats/distributions/quantiles.ts'

/** Planned blocks at each look, growing; the last is the most. */
export type Looks = readonly number[]

/**
 * A look at the share t of the blocks needs z ≥ c·t^−0.1: between the boundaries of Pocock (equal at every look) and of O'Brien and Fleming
 * (strict at first). Among these it needs the fewest runs where the difference is the planned one (Wang and Tsiatis 1987).
 */
const shape = -0.1

/** Points of the grid on which a sum is followed from look to look. */
const gridPoints = 101
/** Heights are rounded down to steps of this, which makes the p-value larger and lets results be kept. */
const heightStep = 0.02
const mostHeight = 8

/** How high a p-value of a fixed size reaches at a look, in the units in which all looks have the same boundary c. */
export function boundaryHeight(pValue: number, blocks: number, looks: Looks): number {
  if (pValue >= 1) return 0
  return -normalQuantile(Math.max(pValue, 1e-15) / 2) / boundaryAt(blocks, looks)
}

/** The p-value that is valid over all looks, from the greatest height so far. */
export function sequentialPValue(height: number, looks: Looks): number {
  if (looks.length <= 1) return Math.min(1, 2 * normalCdf(-height))
  return crossingChance(Math.floor(Math.min(height, mostHeight) / heightStep), looks)
}

/** The p-value of a fixed size that a look needs, so that all looks together have this alpha. */
export function nominalLevel(alpha: number, blocks: number, looks: Looks): number {
  if (looks.length <= 1) return alpha
  let [low, high] = [Math.floor(-normalQuantile(alpha / 2) / heightStep) - 1, Math.ceil(mostHeight / heightStep)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (crossingChance(middle, looks) > alpha) low = middle
    else high = middle
  }
  return 2 * normalCdf(-high * heightStep * boundaryAt(blocks, looks))
}

function boundaryAt(blocks: number, looks: Looks): number {
  return (blocks / (looks.at(-1) ?? blocks)) ** shape
}

const known = new Map<string, number>()

function crossingChance(steps: number, looks: Looks): number {
  const key = `${steps} ${looks.join()}`
  const found = known.get(key) ?? integrate(steps * heightStep, looks)
  known.set(key, found)
  return found
}

interface GridPoint {
  at: number
  mass: number
}

/** Follows the density of the sums that have not crossed (Armitage, McPherson and Rowe 1969). */
function integrate(height: number, looks: Looks): number {
  let points: GridPoint[] = [{ at: 0, mass: 1 }]
  let [time, crossed] = [0, 0]
  for (const look of looks) {
    const spread = Math.sqrt(look - time)
    const bound = height * boundaryAt(look, looks) * Math.sqrt(look)
    for (const { at, mass } of points)
      crossed += mass * (normalCdf((-bound - at) / spread) + normalCdf((at - bound) / spread))
    points = moveSums(points, spread, bound)
    time = look
  }
  return Math.min(1, crossed)
}

/** One normal step; sums beyond the bound are left out. */
function moveSums(points: readonly GridPoint[], spread: number, bound: number): GridPoint[] {
  const width = (2 * bound) / (gridPoints - 1)
  return Array.from({ length: gridPoints }, (_, index) => {
    const at = -bound + index * width
    let density = 0
    for (const from of points) density += from.mass * Math.exp(-0.5 * ((at - from.at) / spread) ** 2)
    const weight = index === 0 || index === gridPoints - 1 ? 0.5 : 1
    return { at, mass: (weight * width * density) / (spread * Math.sqrt(2 * Math.PI)) }
  })
}
