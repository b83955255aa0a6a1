/** Writes of one turn of the loop go out together: each is a call of the system, on both sides of a pipe or a connection. */
import type { Writable } from 'node:stream'

/** Lines for a pipe: gives `write`. Whoever reads gets a line before the next event that this process handles. */
export function gathered(stream: Writable): (text: string) => void {
  const hold = holding(stream)
  return (text) => {
    hold()
    stream.write(text)
  }
}

/** Gives what holds back what is written to the stream from then on until this turn of the loop is over. */
export function holding(stream: Writable): () => void {
  let isHeld = false
  return () => {
    if (isHeld) return
    isHeld = true
    stream.cork()
    setImmediate(() => {
      isHeld = false
      stream.uncork()
    })
  }
}
