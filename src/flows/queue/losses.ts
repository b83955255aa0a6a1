/** Jobs that the server has lost, as they are told: a loss is one word, though its jobs are missed one after the other. */

/** Those of one loss are missed within a look at all. */
const gatherMs = 4000

export interface Losses extends Disposable {
  add(): void
}

/** Says at once that there is one, and tells how many they are some seconds after the first, at the latest when disposed of. */
export function gatherLosses(seen: () => void, tell: (jobs: number) => void): Losses {
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
