/** Asks a person at the terminal. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { InterruptedError } from './interrupt.ts'

/** Milliseconds: when a terminal closes, its input ends just before its signal arrives. */
const signalAfterMs = 100

/** The line; empty at the end of input. Throws InterruptedError on Ctrl-C, with its consequence for the reader. */
export async function askLine(question: string, ifStopped: string): Promise<string> {
  // the terminal edits the line: to restore it, readline would need it still open
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const over = new AbortController()
  const { signal } = over
  const stopped = once(process, 'SIGINT', { signal }).then(() => Promise.reject(new InterruptedError(ifStopped)))
  const closed = once(lines, 'close', { signal }).then(() => sleep(signalAfterMs, '', { signal }))
  const answer = lines.question(question)
  for (const one of [stopped, closed, answer]) one.catch(() => {}) // ignore later rejections
  return await Promise.race([answer, stopped, closed]).finally(() => {
    over.abort()
    lines.close()
  })
}

export async function askYesNo(question: string, ifStopped: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `, ifStopped)).trim())
}

/** Whether a person can answer: a terminal on both sides, and no CI. */
export function canAnswer(how: { json: boolean; yes: boolean }): boolean {
  const { CI = '' } = process.env
  return !how.json && !how.yes && (CI === '' || CI === 'false') && process.stdin.isTTY && process.stderr.isTTY
}
