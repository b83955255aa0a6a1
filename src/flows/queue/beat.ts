/** Something that is done in a rhythm and whenever it is asked for, never twice at once. */

export interface Beat {
  /** Does it once more, after what is under way; resolves when that is done. */
  soon(): Promise<void>
  /** No beat comes by itself any more; `soon` still does it. */
  stop(): void
}

/** What fails is tried again with the next beat. */
export function beatOf(work: () => Promise<void>, everyMs: number): Beat {
  let isDue = false
  let working: Promise<void> | null = null
  const workOff = async () => {
    while (isDue) {
      isDue = false
      await work().catch(() => {})
    }
    working = null
  }
  const soon = () => {
    isDue = true
    working ??= workOff()
    return working
  }
  const timer = setInterval(() => void soon(), everyMs)
  return { soon, stop: () => clearInterval(timer) }
}
