/** Asks a person at the terminal one question, answered by a line. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Interrupted } from './interrupt.ts'

/** A terminal that closes ends the input, and its signal comes just after. */
const signalAfterMs = 100

/** The line; empty where the input has ended. Throws Interrupted on Ctrl-C, with what that means for the reader. */
export async function askLine(question: string, ifStopped: string): Promise<string> {
  // the terminal edits the line: to give it back readline would have to find it open still
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const over = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new Interrupted(ifStopped))
    process.once('SIGINT', stop)
    over.signal.addEventListener('abort', () => process.off('SIGINT', stop))
  })
  const closed = once(lines, 'close', { signal: over.signal }).then(async () => {
    await sleep(signalAfterMs, undefined, { signal: over.signal })
    return ''
  })
  const answer = lines.question(question)
  for (const one of [stopped, closed, answer]) one.catch(() => {}) // those that come too late
  return await Promise.race([answer, stopped, closed]).finally(() => {
    over.abort()
    lines.close()
  })
}

/** Whether it was a yes. */
export async function confirmed(question: string, ifStopped: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `, ifStopped)).trim())
}
