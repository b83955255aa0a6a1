/** Lines on a queue server: that it is away at the start, and how long it is waited for; that it has lost what it carried. */
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

export function lostText({ place, jobs }: { place: string; jobs: number }): string {
  const what = jobs === 1 ? 'a run that was out: it was' : `${jobs} runs that were out: they were`
  return oneLine(`the queue server at ${place} has lost ${what} submitted again`, 500)
}

/** Of a command that says it on stderr. */
export function patienceOf({ place }: { place: string }, waitMs: number, signal: AbortSignal): Patience {
  const waits = (message: string) =>
    void process.stderr.write(`${awaitedText({ place, message, wait_ms: waitMs })}; Ctrl-C ends it\n`)
  return { waitMs, waits, signal }
}
