/** Estimates the amount of the next piece of work from earlier ones. Keys and numbers have no meaning here. */

export interface AmountSample {
  /** Similar work has the same key. */
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

  constructor(samples: readonly AmountSample[] = []) {
    for (const sample of samples) this.add(sample)
  }

  get count(): number {
    return this.#all.n
  }

  add({ key, amount }: AmountSample): void {
    const mean = this.#byKey.get(key) ?? { sum: 0, n: 0 }
    for (const one of [mean, this.#all]) {
      one.sum += amount
      one.n += 1
    }
    this.#byKey.set(key, mean)
  }

  of(key: string): number | null {
    return toMean(this.#byKey.get(key))
  }

  ofAny(): number | null {
    return toMean(this.#all)
  }
}

function toMean(mean: Mean | undefined): number | null {
  return mean === undefined || mean.n === 0 ? null : mean.sum / mean.n
}

/**
 * The mean of the same key in `now`, else of the same key in `earlier`, else of all in `now`, else of all in `earlier`; null:
 * no samples.
 */
export function estimateAmount(key: string, now: Samples, earlier: Samples): number | null {
  return now.of(key) ?? earlier.of(key) ?? now.ofAny() ?? earlier.ofAny()
}
