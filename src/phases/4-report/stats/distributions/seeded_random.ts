/** Seeded randomness: the same seed draws the same numbers on every machine (sfc32). */

export type Random = () => number

/** Uniform in [0, 1), from a whole number as seed. */
export function createSeededRandom(seed: number): Random {
  let [a, b, c, counter] = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162 ^ Math.floor(seed / 2 ** 32), 1]
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }
  for (let step = 0; step < 15; step += 1) next()
  return next
}

/** Puts a random choice of `count` values first, in place (the start of a Fisher–Yates shuffle). */
export function shuffleFirst(values: number[], count: number, random: Random): void {
  for (let at = 0; at < count; at += 1) {
    const other = at + Math.floor(random() * (values.length - at))
    const [mine, theirs] = [values[at] ?? 0, values[other] ?? 0]
    values[at] = theirs
    values[other] = mine
  }
}
