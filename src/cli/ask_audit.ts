/** Asks a person at a terminal, decision by decision: y agree, n disagree, s skip, u undo, q quit. */
import { emitKeypressEvents } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { type Audit, label } from '../flows/audit.ts'
import type { Decision } from '../flows/audited.ts'
import { colours, safe } from './style.ts'

export interface Terminal {
  input: ReadStream
  output: NodeJS.WriteStream
}

/** Whether somebody sits there who can answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true
}

interface Asked {
  /** How many labels were kept or taken back; each is on disk before the next is asked. */
  said: number
  /** By Ctrl-C. */
  interrupted: boolean
}

/** Asks until all is said or the person ends it. */
export async function ask(audit: Audit, { input, output }: Terminal): Promise<Asked> {
  const open = audit.sample.filter(({ id }) => !audit.labels.has(id))
  const keys = keysOf(input)
  let [at, said, interrupted] = [0, 0, false]
  try {
    for (let one = open[at]; one !== undefined; one = open[at]) {
      output.write(`${card(one, `${at + 1} of ${open.length}`, output)}\n`)
      const key = await keys.next()
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
    keys.end()
  }
  if (open.length === 0) output.write('All of this sample is labelled; a larger --sample shows more.\n')
  return { said, interrupted }
}

async function keep(audit: Audit, { id }: Decision, agree: boolean | null): Promise<number> {
  await label(audit, { id, agree }, new Date())
  return 1
}

const interrupt = 'interrupt'

/** Single keys; Ctrl-D and the end of the input count as q. */
function keysOf(input: ReadStream) {
  const waiting: ((key: string) => void)[] = []
  const typed: string[] = []
  const give = (key: string) => {
    const next = waiting.shift()
    if (next === undefined) typed.push(key)
    else next(key)
  }
  const onKey = (_text: string | undefined, key: { name?: string; ctrl?: boolean }) => {
    const controls: Readonly<Record<string, string>> = { c: interrupt, d: 'q' }
    const name = key.name ?? ''
    give(key.ctrl === true ? (controls[name] ?? '') : name)
  }
  const onEnd = () => give('q')
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.resume()
  input.on('keypress', onKey)
  input.on('end', onEnd)
  return {
    next: () => {
      const key = typed.shift()
      return key === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(key)
    },
    end: () => {
      input.off('keypress', onKey)
      input.off('end', onEnd)
      input.setRawMode(false)
      input.pause()
    },
  }
}

const mostLines = 25

function card(
  { graded, prompt, response, outputs, run_id, id }: Decision,
  place: string,
  stream: NodeJS.WriteStream,
): string {
  const { bold, dim, green, red } = colours(stream)
  const verdict = graded.passed ? green('PASSED') : red('FAILED')
  const verified = graded.evidence_verified === undefined ? '' : dim(` (quote: ${graded.evidence_verified})`)
  return [
    '',
    dim(`── ${place} · ${id} · ${run_id} ──`),
    `${dim('task')}      ${clipped(prompt, 6)}`,
    `${dim('answer')}    ${clipped(response, mostLines)}`,
    ...(outputs.length > 0 ? [`${dim('files')}     ${safe(outputs.slice(0, 12).join(', '))}`] : []),
    '',
    bold(safe(graded.text)),
    `the judge says ${verdict}${verified}: ${clipped(graded.evidence, 10)}`,
    'Do you agree? y yes · n no · s skip · u undo · q quit',
  ].join('\n')
}

function clipped(text: string, most: number): string {
  const lines = text.trim().split('\n')
  const kept = lines.slice(0, most).map((line) => safe(line.slice(0, 500)))
  return [...kept, ...(lines.length > most ? [`… ${lines.length - most} more lines`] : [])].join('\n          ')
}
