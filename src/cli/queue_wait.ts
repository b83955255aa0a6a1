/** A queue server that is away at the start: the line that says so, and how long it is waited for. */
import type { Patience } from '../jobs/queue/reach.ts'
import { duration, oneLine } from './style.ts'

interface Awaited {
  place: string
  /** What was heard. */
  message: string
  wait_ms: number
}

export function awaitedText({ place, message, wait_ms }: Awaited): string {
  return oneLine(`waiting up to ${duration(wait_ms)} for the queue server at ${place}: ${message}`, 500)
}

/** Of a command that says it on stderr. */
export function patienceOf({ place }: { place: string }, waitMs: number, signal: AbortSignal): Patience {
  const waits = (message: string) =>
    void process.stderr.write(`${awaitedText({ place, message, wait_ms: waitMs })}; Ctrl-C ends it\n`)
  return { waitMs, waits, signal }
}
