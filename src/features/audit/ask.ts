/** Asks a person at a terminal, decision by decision: y agree, n disagree, s skip, u undo, q quit. Prints the sample and the result. */
import { on } from 'node:events'
import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReadStream } from 'node:tty'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { colours, oneLine, textWidth, toSafeLine, wrapText } from '../../cli/terminal/style.ts'
import type { JudgeDecision } from '../../flows/labels/judge_decisions.ts'
import { auditText } from '../../phases/4-report/judge/audit_text.ts'
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

/** Stores the labels of --label after checking all of them. Returns their number. */
export async function applyLabels(audit: AuditSession, given: readonly string[]): Promise<number> {
  const words: Readonly<Record<string, boolean | null>> = { agree: true, disagree: false, undo: null }
  const labels = given.map((text) => {
    const [id = '', word = ''] = text.split('=')
    const agree = words[word]
    if (id === '' || agree === undefined) {
      throw new UserError(`--label "${text}": invalid form`, 'expected ID=agree, ID=disagree or ID=undo')
    }
    if (!audit.decisions.some((one) => one.id === id)) {
      throw new UserError(
        `--label "${id}": no such decision`,
        'list decisions with their ids: whetstone audit <workspace> --json',
      )
    }
    return { id, agree }
  })
  for (const one of labels) await labelDecision(audit, one, new Date())
  return labels.length
}

/** The sample: one decision per line (JSON), or with the details needed to judge it. */
export function sampleLines(audit: AuditSession, json: boolean): string[] {
  if (json) return audit.sample.map((one) => jsonText({ type: 'decision', ...shownDecision(audit, one) }))
  const lines = audit.sample.map((one) => {
    const label = audit.labels.get(one.id)
    const mark = label === undefined ? '' : label === one.graded.passed ? ' (you agreed)' : ' (you disagreed)'
    return oneLine(
      `${one.id} ${one.graded.passed ? 'passed' : 'failed'} · ${one.run_id} · ${one.graded.text}${mark}`,
      300,
    )
  })
  return [
    ...lines,
    'cannot ask without a terminal: use --label ID=agree or ID=disagree; --json shows what the judge saw.',
  ]
}

function shownDecision(audit: AuditSession, { graded, folder, ...one }: JudgeDecision) {
  const met = audit.labels.get(one.id) ?? null
  const { text, passed, evidence, evidence_verified } = graded
  return { ...one, benchmark: folder, text, judge_passed: passed, evidence, evidence_verified, met }
}

/** `benchmark`: with the labels; null: there are none. */
export function auditLines(audit: AuditSession, benchmark: Benchmark | null, json: boolean): string[] {
  const summary = benchmark?.audit ?? null
  if (json) {
    const open = audit.sample.filter(({ id }) => !audit.labels.has(id)).length
    const counts = { decisions: audit.decisions.length, sample: audit.sample.length, unlabelled: open }
    return [jsonText({ type: 'result', exit_code: 0, folder: audit.folder, ...counts, audit: summary })]
  }
  const { bold, yellow } = colours(process.stdout)
  if (summary === null) return []
  const { lines, banner } = auditText(summary, benchmark?.statistics)
  const width = textWidth(process.stdout)
  const [first = '', ...more] = lines
  return [
    ...wrapText(first, width).map((line) => bold(line)),
    ...more.flatMap((line) => wrapText(line, width)),
    ...(banner === null ? [] : wrapText(banner, width).map((line) => yellow(line))),
  ]
}
