/** Lines for a pipe: those of one turn of the loop go out together, since each write is a call of the system. */
import type { Writable } from 'node:stream'

/** Gives `write`. Whoever reads gets a line before the next event that this process handles. */
export function gathered(stream: Writable): (text: string) => void {
  let isHeld = false
  return (text) => {
    if (!isHeld) {
      isHeld = true
      stream.cork()
      setImmediate(() => {
        isHeld = false
        stream.uncork()
      })
    }
    stream.write(text)
  }
}
