/** Draws which version runs on which training case: each pair of runs has one random half of the round's edits on each side. */

type Random = () => number

export interface NumberedRun {
  evalId: number
  /** From 1, per case. */
  number: number
}

/** A pair of runs of a case, and the half that the version of each has. */
export interface HalvedPair<H> extends NumberedRun {
  halves: readonly [H, H]
}

/** The halves are ids of edits; together each edit once. */
export type MixPair = HalvedPair<readonly string[]>

/** Ways to split the edits of a round. Each makes two versions. */
const splits = 8

/** Every case and every split gets as many pairs as the others, or one more (random balance; Satterthwaite 1959). */
export function drawMixes(
  edits: readonly string[],
  { cases, pairs, random }: { cases: readonly number[]; pairs: number; random: Random },
): MixPair[] {
  if (edits.length === 0 || cases.length === 0) return []
  const drawn = Array.from({ length: splits }, () => splitInHalves(edits, random))
  const turns = takeTurns(drawn, pairs, random)
  return numberRuns(takeTurns(cases, pairs, random)).flatMap((run, at) => {
    const halves = turns[at]
    return halves === undefined ? [] : [{ ...run, halves }]
  })
}

export function numberRuns(cases: readonly number[]): NumberedRun[] {
  const numbers = new Map<number, number>()
  return cases.map((evalId) => {
    const number = (numbers.get(evalId) ?? 0) + 1
    numbers.set(evalId, number)
    return { evalId, number }
  })
}

/** `count` values in random order, each as often as the others or once more. */
export function takeTurns<T>(values: readonly T[], count: number, random: Random): T[] {
  const taken: T[] = []
  while (taken.length < count && values.length > 0) taken.push(...shuffle(values, random))
  return taken.slice(0, count)
}

function splitInHalves(edits: readonly string[], random: Random): MixPair['halves'] {
  const first = new Set(shuffle(edits, random).slice(0, Math.floor(edits.length / 2)))
  return [edits.filter((one) => first.has(one)), edits.filter((one) => !first.has(one))]
}

/** Fisher and Yates. */
function shuffle<T>(values: readonly T[], random: Random): T[] {
  const left = [...values]
  return values.flatMap(() => left.splice(Math.floor(random() * left.length), 1))
}
