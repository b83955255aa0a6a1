/** What the next piece of work will probably take, from what others took. Knows keys and numbers, not what they mean. */

export interface Sample {
  /** What is alike: the same key took the same before. */
  key: string
  amount: number
}

interface Mean {
  sum: number
  n: number
}

/** Means of samples by key, and over all of them. */
export class Samples {
  readonly #byKey = new Map<string, Mean>()
  readonly #all: Mean = { sum: 0, n: 0 }

  constructor(samples: readonly Sample[] = []) {
    for (const sample of samples) this.add(sample)
  }

  get count(): number {
    return this.#all.n
  }

  add({ key, amount }: Sample): void {
    const mean = this.#byKey.get(key) ?? { sum: 0, n: 0 }
    for (const one of [mean, this.#all]) {
      one.sum += amount
      one.n += 1
    }
    this.#byKey.set(key, mean)
  }

  of(key: string): number | null {
    return meanOf(this.#byKey.get(key))
  }

  ofAny(): number | null {
    return meanOf(this.#all)
  }
}

function meanOf(mean: Mean | undefined): number | null {
  return mean === undefined || mean.n === 0 ? null : mean.sum / mean.n
}

/**
 * The mean of the same key now, else of the same key earlier, else of anything now, else of anything earlier; null when
 * nothing is known.
 */
export function estimateOf(key: string, now: Samples, earlier: Samples): number | null {
  return now.of(key) ?? earlier.of(key) ?? now.ofAny() ?? earlier.ofAny()
}
