/** What `--until decided` can see: how likely so many pairs are to decide, where the true difference is this large. */
import { boundaryAlpha, eValue } from './e_value.ts'
import { betaCdf, logBeta, normalCdf, normalQuantile } from './quantiles.ts'

export interface Sequence {
  /** The most pairs that can be made, and those of one block. */
  pairs: number
  block: number
  /** Of the difference within a pair: of both arms together. */
  variance: number
  alpha: number
}

/** Looks back, and the most pairs for which they are asked: one loss more can take as much as the next four wins bring. */
const earlier = { looks: 6, mostPairs: 100 }
/** Beyond so many pairs the count of those won is normal for every purpose here. */
const mostCounted = 2000

/**
 * The chance that the pairs decide for the better arm at one of the last looks; the others only add to it. A pass or fail is
 * assumed: then a pair is unequal with the chance variance + effect², the larger the difference the more so.
 */
export function untilPower(effect: number, sequence: Sequence): number {
  const { pairs, block, variance, alpha } = sequence
  const unequal = Math.min(1, Math.max(effect, variance + effect ** 2))
  if (unequal === 0) return 0
  if (pairs > mostCounted) return normalPower({ effect, pairs, alpha, unequal })
  const looks = pairs > earlier.mostPairs ? 1 : Math.min(earlier.looks, Math.floor(pairs / block))
  const last = Array.from({ length: looks }, (_, back) => pairs - back * block)
  return Math.max(0, ...last.map((some) => countedPower({ effect, pairs: some, alpha, unequal })))
}

interface Look {
  effect: number
  pairs: number
  alpha: number
  unequal: number
}

function countedPower({ effect, pairs, alpha, unequal }: Look): number {
  const won = Math.min(1, (unequal + effect) / (2 * unequal))
  const [middle, spread] = [pairs * unequal, 8 * Math.sqrt(pairs * unequal * (1 - unequal)) + 2]
  const last = Math.min(pairs, Math.ceil(middle + spread))
  let power = 0
  for (let count = Math.max(0, Math.floor(middle - spread)); count <= last; count += 1) {
    const wins = leastWins(count, alpha)
    if (wins !== null) power += chanceOf(count, pairs, unequal) * betaCdf(won, wins, count - wins + 1)
  }
  return power
}

/** The smallest difference that the pairs find with this power; 1 where no outcome could decide. */
export function untilDetectable(power: number, sequence: Sequence): number {
  let [low, high] = [0, 1]
  while (high - low > 1e-8) {
    const middle = (low + high) / 2
    if (untilPower(middle, sequence) < power) low = middle
    else high = middle
  }
  return high
}

const known = new Map<string, number | null>()

/** The fewest of so many unequal pairs that must be won; null: even all are too few. */
function leastWins(count: number, alpha: number): number | null {
  const key = `${count} ${alpha}`
  const before = known.get(key)
  if (before !== undefined) return before
  const found = findLeastWins(count, alpha)
  if (known.size < 10_000) known.set(key, found)
  return found
}

function findLeastWins(count: number, alpha: number): number | null {
  if (eValue(count, 0, 2) < 1 / alpha) return null
  let [low, high] = [Math.floor(count / 2), count]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (eValue(middle, count - middle, 2) < 1 / alpha) low = middle
    else high = middle
  }
  return high
}

/** P(X = k) for X of n with chance p. */
function chanceOf(k: number, n: number, p: number): number {
  if (p === 1) return k === n ? 1 : 0
  return Math.exp(k * Math.log(p) + (n - k) * Math.log1p(-p) - Math.log(n + 1) - logBeta(k + 1, n - k + 1))
}

function normalPower({ effect, pairs, alpha, unequal }: Look): number {
  const size = boundaryAlpha(unequal * pairs, alpha)
  if (size === null) return 0
  const asked = normalQuantile(1 - size / 2) * Math.sqrt(pairs * unequal)
  const spread = Math.sqrt(pairs * Math.max(unequal - effect ** 2, 1e-12))
  return normalCdf((pairs * effect - asked) / spread)
}
