/** Messages about a queue server: it is unreachable at startup, how long to wait, or it has lost its jobs. */
import type { WaitPolicy } from '../../../jobs/queue/connection/first_contact.ts'
import { durationText, oneLine } from '../../terminal/style.ts'

interface AwaitedServer {
  place: string
  /** The connection error. */
  message: string
  wait_ms: number
}

export function awaitedText({ place, message, wait_ms }: AwaitedServer): string {
  return oneLine(`waiting up to ${durationText(wait_ms)} for the queue server at ${place}: ${message}`, 500)
}

export function silentText({ place }: { place: string }): string {
  const end = 'Whetstone waits for it until --max-wait; Ctrl-C stops and keeps what is finished'
  return oneLine(`the queue server at ${place} does not answer; ${end}`, 500)
}

export function lostText({ place, jobs }: { place: string; jobs: number }): string {
  const what = jobs === 1 ? '1 run in progress; it was' : `${jobs} runs in progress; they were`
  return oneLine(`the queue server at ${place} has lost ${what} submitted again`, 500)
}

/** For a command that reports the wait on stderr. */
export function createWaitPolicy({ place }: { place: string }, waitMs: number, signal: AbortSignal): WaitPolicy {
  const waits = (message: string) =>
    void process.stderr.write(`${awaitedText({ place, message, wait_ms: waitMs })}; Ctrl-C ends it\n`)
  return { waitMs, waits, signal }
}
