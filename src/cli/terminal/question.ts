/** Asks a person at the terminal, and asks before a version replaces the skill. */
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../base/errors/error.ts'
import type { Replacement } from '../../flows/versions/replace_skill.ts'
import { InterruptedError } from './interrupt.ts'
import { colours, toSafeLine } from './style.ts'

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

/** Changes nothing if the answer is no. Throws UserError if it can't ask and --yes is missing. */
export async function confirmReplacement(
  change: Replacement,
  { name, skill, json, yes }: { name: string; skill: string; json: boolean; yes: boolean },
): Promise<void> {
  const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`)
  if (change.diff.length === 0) {
    say(`Nothing to apply: ${toSafeLine(skill)} is ${name} already.`)
    return
  }
  const { green, red, bold } = colours(json ? process.stderr : process.stdout)
  for (const { path: file, lines } of change.diff) {
    say(bold(toSafeLine(file)))
    for (const line of lines) {
      const colour = line.startsWith('+') ? green : line.startsWith('-') ? red : String
      say(colour(toSafeLine(line)))
    }
  }
  if (!yes) {
    if (!canAnswer({ json, yes })) {
      throw new UserError(
        '--apply: cannot ask for confirmation (stdin is not a terminal)',
        'review the diff, then add --yes',
      )
    }
    if (!(await askYesNo(`Put ${name} in place of ${toSafeLine(skill)}?`, 'not applied'))) {
      say('Not applied.')
      return
    }
  }
  const backup = await change.apply(new Date())
  say(`Applied ${name}; the earlier version is in ${toSafeLine(path.relative(process.cwd(), backup))}`)
}
