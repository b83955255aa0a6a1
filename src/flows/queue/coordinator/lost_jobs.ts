/** Combines the lost jobs of one server failure into one report, though they are noticed one by one. */

/** All jobs of one loss are noticed within one polling interval. */
const gatherMs = 4000

export interface LossCounter extends Disposable {
  add(): void
}

/** Calls `seen` at the first loss, and `tell` with the count some seconds later, or when disposed of. */
export function openLossCounter(seen: () => void, tell: (jobs: number) => void): LossCounter {
  let jobs = 0
  let timer: NodeJS.Timeout | undefined
  const say = () => {
    clearTimeout(timer)
    const count = jobs
    jobs = 0
    if (count > 0) tell(count)
  }
  return {
    add() {
      jobs += 1
      if (jobs > 1) return
      timer = setTimeout(say, gatherMs)
      seen()
    },
    [Symbol.dispose]: say,
  }
}
