/** Asks a person at a terminal, decision by decision: y agree, n disagree, s skip, u undo, q quit. */
import { on } from 'node:events'
import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { colours, toSafeLine } from '../../cli/terminal/style.ts'
import type { JudgeDecision } from '../../flows/labels/judge_decisions.ts'
import { type AuditSession, labelDecision } from './audit.ts'

export interface Terminal {
  input: ReadStream
  output: NodeJS.WriteStream
}

/** Whether a person can answer at a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true
}

interface AuditAnswers {
  /** How many labels were stored or removed; each is on disk before the next question. */
  said: number
  /** With Ctrl-C. */
  interrupted: boolean
}

/** Asks until every decision has an answer or the person quits. */
export async function askAudit(audit: AuditSession, { input, output }: Terminal): Promise<AuditAnswers> {
  const open = audit.sample.filter(({ id }) => !audit.labels.has(id))
  const keys = readKeys(input)
  input.setRawMode(true) // before the first question: its answer may follow at once
  let [at, said, interrupted] = [0, 0, false]
  try {
    for (let one = open[at]; one !== undefined; one = open[at]) {
      output.write(`${card(one, `${at + 1} of ${open.length}`, output)}\n`)
      const { value: key = 'q' } = await keys.next()
      interrupted = key === interrupt
      if (key === 'q' || interrupted) break
      if (key === 'u' && at === 0) output.write('Nothing to undo: this is the first.\n')
      if (key === 'u' && at > 0) {
        at -= 1
        const last = open[at]
        if (last !== undefined && audit.labels.has(last.id)) said += await keep(audit, last, null)
      }
      if (key === 'y' || key === 'n') said += await keep(audit, one, key === 'y')
      if (key === 'y' || key === 'n' || key === 's') at += 1
    }
  } finally {
    await keys.return()
    input.setRawMode(false).pause()
  }
  if (open.length === 0) output.write('All of this sample is labelled; a larger --sample shows more.\n')
  return { said, interrupted }
}

async function keep(audit: AuditSession, { id }: JudgeDecision, agree: boolean | null): Promise<number> {
  await labelDecision(audit, { id, agree }, new Date())
  return 1
}

const interrupt = 'interrupt'

/** Single keys, also those typed ahead; ends with the input and with Ctrl-D. */
async function* readKeys(input: ReadStream): AsyncGenerator<string, void> {
  emitKeypressEvents(input)
  for await (const [, key] of on(input.resume(), 'keypress', { close: ['end'] })) {
    const { name = '', ctrl }: Key = key
    if (!ctrl) yield name
    else if (name === 'c') yield interrupt
    else if (name === 'd') return
  }
}

const mostLines = 25

function card(
  { graded, prompt, response, outputs, run_id, id }: JudgeDecision,
  place: string,
  stream: NodeJS.WriteStream,
): string {
  const { bold, dim, green, red } = colours(stream)
  const verdict = graded.passed ? green('PASSED') : red('FAILED')
  const verified = graded.evidence_verified === undefined ? '' : dim(` (quote: ${graded.evidence_verified})`)
  return [
    '',
    dim(`── ${place} · ${id} · ${run_id} ──`),
    `${dim('task')}      ${clipLines(prompt, 6)}`,
    `${dim('answer')}    ${clipLines(response, mostLines)}`,
    ...(outputs.length > 0 ? [`${dim('files')}     ${toSafeLine(outputs.slice(0, 12).join(', '))}`] : []),
    '',
    bold(toSafeLine(graded.text)),
    `the judge says ${verdict}${verified}: ${clipLines(graded.evidence, 10)}`,
    'Do you agree? y yes · n no · s skip · u undo · q quit',
  ].join('\n')
}

function clipLines(text: string, most: number): string {
  const lines = text.trim().split('\n')
  const kept = lines.slice(0, most).map((line) => toSafeLine(line.slice(0, 500)))
  return [...kept, ...(lines.length > most ? [`… ${lines.length - most} more lines`] : [])].join('\n          ')
}
