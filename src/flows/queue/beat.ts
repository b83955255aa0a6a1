/** Something that is done in a rhythm and whenever it is asked for, never twice at once. */

export interface Beat {
  /** Does it once more, after what is under way and together with all others that ask meanwhile; resolves when that is done. */
  soon(): Promise<void>
  /** No beat comes by itself any more; `soon` still does it. */
  stop(): void
}

/** What fails is tried again with the next beat. */
export function beatOf(work: () => Promise<void>, everyMs: number): Beat {
  /** The pass that was asked for last. */
  let last = Promise.resolve()
  /** The same, as long as it has not begun. */
  let next: Promise<void> | null = null
  const pass = async () => {
    next = null
    await work().catch(() => {})
  }
  const soon = () => {
    if (next === null) {
      last = last.then(pass)
      next = last
    }
    return next
  }
  const timer = setInterval(() => void soon(), everyMs)
  return { soon, stop: () => clearInterval(timer) }
}
