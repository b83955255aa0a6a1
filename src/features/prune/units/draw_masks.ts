/** The screening design of prune: which units each run leaves out. Every unit is out in half of the runs, and in half of each case's. */
import { type HalvedPair, numberRuns, takeTurns } from '../../../phases/5-improve/search/draw_mixes.ts'

/** By unit, whether each of the two runs has it: the second has what the first leaves out. */
export type ScreeningPair = HalvedPair<readonly boolean[]>

/**
 * Rows of a two-level screening design for so many units (Plackett and Burman 1946): 4, 8, 12, 20, 24, … Each row and its complement (the
 * foldover) are two versions of the skill.
 */
export function countRows(units: number): number {
  for (let prime = 3; ; prime += 4) if (prime >= units && isPrime(prime)) return prime + 1
}

/** `pairs`: a multiple of countRows makes the units' effects uncorrelated. Cases and rows take turns in random order. */
export function drawMasks(
  units: number,
  { cases, pairs, random }: { cases: readonly number[]; pairs: number; random: () => number },
): ScreeningPair[] {
  const columns = takeTurns(
    Array.from({ length: countRows(units) - 1 }, (_, at) => at),
    units,
    random,
  )
  const rows = screeningRows(units).map((row) => columns.map((column) => row[column] === true))
  const turns = takeTurns(rows, pairs, random)
  return numberRuns(takeTurns(cases, pairs, random)).flatMap((run, at) => {
    const row = turns[at]
    return row === undefined ? [] : [{ ...run, halves: [row, row.map((one) => !one)] as const }]
  })
}

/** By Paley's construction: quadratic residues of a prime, shifted by one in each row, and a row without any unit. */
function screeningRows(units: number): boolean[][] {
  const prime = countRows(units) - 1
  const squares = new Set(Array.from({ length: prime }, (_, at) => (at * at) % prime))
  const shifted = Array.from({ length: prime }, (_, row) =>
    Array.from({ length: prime }, (_, column) => squares.has((row + column) % prime)),
  )
  return [...shifted, Array.from({ length: prime }, () => false)]
}

function isPrime(number: number): boolean {
  for (let divisor = 3; divisor * divisor <= number; divisor += 2) if (number % divisor === 0) return false
  return true
}
