/** Asks a person at the terminal one question, answered by a line. */
import { createInterface } from 'node:readline/promises'
import { Interrupted } from './interrupt.ts'

/** The line; empty where the input has ended. Throws Interrupted on Ctrl-C, with what that means for the reader. */
export async function askLine(question: string, ifStopped: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const stopped = new Promise<never>((_, reject) => {
    terminal.once('SIGINT', () => reject(new Interrupted(ifStopped)))
  })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  stopped.catch(() => {}) // a question that was answered
  const answer = terminal.question(question)
  answer.catch(() => {}) // closed while it waits
  return await Promise.race([answer, stopped, closed]).finally(() => terminal.close())
}

/** Whether it was a yes. */
export async function confirmed(question: string, ifStopped: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `, ifStopped)).trim())
}
