/** Handles Ctrl-C: the first lets running work end (8 s by default), the second and a closed terminal end all at once. */
import { exitCodes } from '../exit_codes.ts'

/** The user stopped the command. */
export class InterruptedError extends Error {
  override readonly name = 'Interrupted'
}

export interface Interrupts {
  drain: AbortSignal
  signal: AbortSignal
  [Symbol.dispose](): void
}

/** How to resume an interrupted command; null: it can't be resumed and starts again. */
export type ResumeWay = (typeof resumeWays)[keyof typeof resumeWays] | null

export const resumeWays = {
  same: 'the same command',
  withoutFresh: 'the same command without --fresh',
  withResume: 'the same command and --resume',
} as const

/** For a command that accepts --fresh. */
export function chooseResumeWay(fresh: boolean): ResumeWay {
  return fresh ? resumeWays.withoutFresh : resumeWays.same
}

/** Adapts a sentence about "the same command" to a command that resumes differently. */
export function resumeHint(sentence: string, how: ResumeWay): string {
  return sentence.replaceAll(resumeWays.same, how ?? resumeWays.same)
}

function keptSentence(how: ResumeWay): string {
  return `what was finished is kept${how === null ? '' : `; continue with ${how}`}`
}

/** Printed if there is no result. */
export function stoppedLine(how: ResumeWay): string {
  return `stopped; ${keptSentence(how)}`
}

/** Printed above an interrupted result. */
export function interruptedLine(how: ResumeWay): string {
  return `INTERRUPTED before the end; ${keptSentence(how)}`
}

const usualGraceMs = 8000
/** Milliseconds. Agents end within 2 s of the abort; the next start removes what takes longer. */
const lastMs = 5000

const stopping = 'Stopping: running agents may finish for 8 seconds. Ctrl-C again stops at once.'

interface Manner {
  /** The message about what happens next. */
  words?: string | undefined
  /** Milliseconds that running work has to end; null: as long as it needs. */
  graceMs?: number | null
  goesOn?: ResumeWay | undefined
}

/** Listens to SIGINT, SIGTERM and SIGHUP until disposed of. `say` prints what happens next. */
export function listenForInterrupts(
  say: (line: string) => void,
  { words = stopping, graceMs = usualGraceMs, goesOn = resumeWays.same }: Manner = {},
): Interrupts {
  const drain = new AbortController()
  const stop = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const stopNow = () => {
    const stopped = stoppedLine(goesOn)
    stop.abort(new InterruptedError(stopped))
    setTimeout(() => {
      say(stopped)
      process.exit(exitCodes.interrupted)
    }, lastMs).unref()
  }
  const onSignal = () => {
    if (drain.signal.aborted) return stopNow()
    say(words)
    drain.abort(new InterruptedError('stopped'))
    if (graceMs !== null) timers.push(setTimeout(stopNow, graceMs))
  }
  const onHangUp = () => {
    drain.abort(new InterruptedError('stopped'))
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
      if (drain.signal.aborted) return // the program is ending with 130: another Ctrl-C must not kill it before
      for (const [name, hear] of heard) process.off(name, hear)
    },
  }
}

/** Ends by the signal, as other programs do: on a normal exit Node would look for its terminal and dump core. */
function endAsHungUp(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}
