/**
 * Ctrl-C: the first lets running work end (at most 8 s if nothing else is said, then it is ended), the second ends all at once. So does
 * a terminal that closes: nobody is left to see the rest.
 */

import { exitCodes } from './exit.ts'

/** The user stopped the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Interrupts {
  drain: AbortSignal
  signal: AbortSignal
  [Symbol.dispose](): void
}

/** What goes on with what was cut short; null: nothing does, given once more it begins anew. */
export type Again = (typeof ways)[keyof typeof ways] | null

export const ways = {
  same: 'the same command',
  withoutFresh: 'the same command without --fresh',
  withResume: 'the same command with --resume',
} as const

/** Of a command that may be given with --fresh. */
export function againUnless(fresh: boolean): Again {
  return fresh ? ways.withoutFresh : ways.same
}

/** A sentence that tells of the same command, for one that goes on otherwise. */
export function goingOn(sentence: string, how: Again): string {
  return sentence.replaceAll(ways.same, how ?? ways.same)
}

function kept(how: Again): string {
  return `what was finished is kept${how === null ? '' : `, ${how} goes on from there`}`
}

/** Where there is no result to show. */
export function stoppedLine(how: Again): string {
  return `stopped; ${kept(how)}`
}

/** Above a result that Ctrl-C cut short. */
export function interruptedLine(how: Again): string {
  return `INTERRUPTED: not all was come to; ${kept(how)}`
}

const usualGraceMs = 8000
/** Agents are ended within 2 s of the abort; what takes longer is left to the reaper of the next start. */
const lastMs = 5000

const stopping = 'Stopping: running agents may finish for 8 seconds. Ctrl-C again stops at once.'

interface Manner {
  /** What happens next. */
  words?: string
  /** Milliseconds that running work may take to its end; null: as long as it needs. */
  graceMs?: number | null
  goesOn?: Again
}

/** Listens to SIGINT, SIGTERM and SIGHUP until disposed. `say` prints what happens next. */
export function listenForInterrupts(
  say: (line: string) => void,
  { words = stopping, graceMs = usualGraceMs, goesOn = ways.same }: Manner = {},
): Interrupts {
  const drain = new AbortController()
  const stop = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const stopNow = () => {
    const stopped = stoppedLine(goesOn)
    stop.abort(new Interrupted(stopped))
    setTimeout(() => {
      say(stopped)
      process.exit(exitCodes.interrupted)
    }, lastMs).unref()
  }
  const onSignal = () => {
    if (drain.signal.aborted) return stopNow()
    say(words)
    drain.abort(new Interrupted('stopped'))
    if (graceMs !== null) timers.push(setTimeout(stopNow, graceMs))
  }
  const onHangUp = () => {
    drain.abort(new Interrupted('stopped'))
    stopNow()
    process.once('exit', endAsHungUp)
  }
  const heard = [
    ['SIGINT', onSignal],
    ['SIGTERM', onSignal],
    ['SIGHUP', onHangUp],
  ] as const
  for (const [name, hear] of heard) process.on(name, hear)
  return {
    drain: drain.signal,
    signal: stop.signal,
    [Symbol.dispose]() {
      for (const timer of timers) clearTimeout(timer)
      for (const [name, hear] of heard) process.off(name, hear)
    },
  }
}

/** By the signal, as others do: Node would look for its terminal as it exits, and abort with a core dump. */
function endAsHungUp(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}
