/** Ranks contenders by all pairwise differences, with looks after blocks: who is better than whom, and who can't win any more. */
import { holm } from '../../../phases/4-report/stats/tests/adjusted_p_values.ts'
import { boundaryHeight, type Looks, nominalLevel, sequentialPValue } from './crossing.ts'

export interface RaceDesign {
  contenders: number
  /** Of all separations together, over all looks. */
  alpha: number
  /** The race ends when those that may still win differ by less than this, from 0 to 1. */
  gap: number
  /** One look: a fixed size. */
  looks: Looks
}

/** What the first `blocks` blocks say of a pair; null: nothing. */
interface PairResult {
  /** a − b, from −1 to 1. */
  difference: number
  low: number
  high: number
  /** Of a fixed size. */
  pValue: number
}

/** `level`: 1 − the confidence level of the interval. */
export type CompareContenders = (a: number, b: number, at: { blocks: number; level: number }) => PairResult | null

/** Two contenders, by index. */
interface RacePair {
  a: number
  b: number
  /** On the blocks that both ran; the interval is simultaneous over all pairs and looks. */
  result: PairResult | null
  /** Those blocks. */
  blocks: number
  /** Over all looks, and by Holm over all pairs. */
  adjusted: number
  /** The better one; null: not separated. */
  better: number | null
}

interface RaceLook {
  blocks: number
  /** Those that had runs since the look before. */
  running: number[]
  /** Those of them that can't win any more. */
  stopped: number[]
}

export interface Race {
  pairs: RacePair[]
  /** [i][j]: i is better than j, by a test or because of others between them. */
  better: boolean[][]
  looks: RaceLook[]
  /** `close`: those left differ by less than the gap. */
  status: 'open' | 'winner' | 'close' | 'max_runs'
  winner: number | null
  /** Those that may still win. */
  running: number[]
  /** The blocks at the next look; null: there is none. */
  next: number | null
}

/**
 * `finished`: for each contender, the blocks whose runs have ended. The same blocks give the same looks, so a resume goes on where the race
 * stopped. A contender stops when another is better; it is not compared again, and its rank interval stays valid.
 */
export function race(design: RaceDesign, finished: readonly number[], compare: CompareContenders): Race {
  const pairs = listPairs(design.contenders)
  const heights = pairs.map(() => 0)
  const better = finished.map(() => finished.map(() => false))
  const looks: RaceLook[] = []
  let running = finished.map((_, at) => at)
  let status: Race['status'] = 'open'
  for (const blocks of design.looks) {
    if (status !== 'open' || running.some((one) => (finished[one] ?? 0) < blocks)) break
    const level = nominalLevel(design.alpha / pairs.length, blocks, design.looks)
    for (const [at, pair] of pairs.entries()) {
      if (!running.includes(pair.a) || !running.includes(pair.b)) continue
      Object.assign(pair, { result: compare(pair.a, pair.b, { blocks, level }), blocks })
      const height = boundaryHeight(pair.result?.pValue ?? 1, blocks, design.looks)
      heights[at] = Math.max(heights[at] ?? 0, height)
    }
    separatePairs(pairs, heights, { better, design })
    const left = running.filter((one) => !better.some((row) => row[one]))
    looks.push({ blocks, running, stopped: running.filter((one) => !left.includes(one)) })
    running = left
    status = decideStatus(running, pairs, { design, blocks })
  }
  const last = looks.at(-1)?.blocks ?? 0
  const next = status === 'open' ? (design.looks.find((blocks) => blocks > last) ?? null) : null
  return { pairs, better, looks, status, winner: status === 'winner' ? (running[0] ?? null) : null, running, next }
}

function listPairs(count: number): RacePair[] {
  const pairs: RacePair[] = []
  for (let a = 0; a < count; a += 1)
    for (let b = a + 1; b < count; b += 1) pairs.push({ a, b, result: null, blocks: 0, adjusted: 1, better: null })
  return pairs
}

/** A pair that is separated stays so. What follows from others counts too: if a beats b and b beats c, then a beats c. */
function separatePairs(
  pairs: RacePair[],
  heights: readonly number[],
  { better, design }: { better: boolean[][]; design: RaceDesign },
): void {
  const adjusted = holm(heights.map((height) => sequentialPValue(height, design.looks)))
  for (const [at, pair] of pairs.entries()) {
    const { a, b, result } = pair
    pair.adjusted = adjusted[at] ?? 1
    if (pair.better !== null || pair.adjusted > design.alpha || !result?.difference) continue
    const [winner, loser] = result.difference > 0 ? [a, b] : [b, a]
    if (better[loser]?.[winner]) continue // the others contradict it
    pair.better = winner
    const isAbove = better.map((row, one) => one === winner || row[winner] === true)
    const isBelow = better.map((_, one) => one === loser || better[loser]?.[one] === true)
    for (const [i, row] of better.entries()) for (const j of row.keys()) if (isAbove[i] && isBelow[j]) row[j] = true
  }
}

function decideStatus(
  running: readonly number[],
  pairs: readonly RacePair[],
  { design, blocks }: { design: RaceDesign; blocks: number },
): Race['status'] {
  if (running.length === 1) return 'winner'
  if (blocks === design.looks.at(-1)) return 'max_runs'
  const open = pairs.filter(({ a, b }) => running.includes(a) && running.includes(b))
  const isClose = ({ result }: RacePair) => result !== null && result.low > -design.gap && result.high < design.gap
  return open.every(isClose) ? 'close' : 'open'
}

/** [best, worst] rank that each contender may have; all hold at once with the confidence of the design. */
export function rankIntervals({ better }: Pick<Race, 'better'>): [number, number][] {
  return better.map((row, one) => {
    const above = better.filter((other) => other[one]).length
    const below = row.filter(Boolean).length
    return [1 + above, better.length - below]
  })
}

/** The largest sets of contenders none of which is better than another of the set; a contender may be in several. */
export function tiedGroups({ better }: Pick<Race, 'better'>): number[][] {
  let groups = [better.map((_, at) => at)]
  for (const [i, row] of better.entries())
    for (const j of row.keys()) {
      if (!row[j]) continue
      const split = groups.flatMap((group) =>
        group.includes(i) && group.includes(j) ? [i, j].map((one) => group.filter((other) => other !== one)) : [group],
      )
      const isWithin = (group: readonly number[], other: readonly number[]) => group.every((one) => other.includes(one))
      groups = split.filter(
        (group, at) =>
          group.length > 0 &&
          !split.some(
            (other, place) => place !== at && isWithin(group, other) && (!isWithin(other, group) || place < at),
          ),
      )
    }
  return groups
}
