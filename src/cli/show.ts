/** Prints what a flow ended with: the headline, the table, the notes, the paths; gives the exit code. */

import path from 'node:path'
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { Kept, Summarized } from '../flows/summarize.ts'
import { chosenSentence } from '../phases/4-report/chosen_text.ts'
import type { GateResult } from '../phases/4-report/gate/judge.ts'
import type { Gate } from '../phases/4-report/gate/parse.ts'
import { leftOutFiles, undecidedIn } from '../phases/4-report/incomplete.ts'
import { headline, summaryTable, sureness } from '../phases/4-report/summary_table.ts'
import { plural } from '../phases/4-report/words.ts'
import { exitCodes } from './exit.ts'
import { gateLines, judgeGates } from './gates.ts'
import { type Again, interruptedLine, ways } from './interrupt.ts'
import type { Reporter } from './reporters.ts'
import { colours, columns, oneLine, safe, textWidth, wrap } from './style.ts'

export interface HowToShow {
  json: boolean
  interrupted: boolean
  goesOn?: Again
  /** The folder that was asked for: where the benchmark is another one, it is said which. */
  asked?: string
  gates?: readonly Gate[]
  reporters?: readonly Reporter[]
}

/** Exit code 0, 1 when a gate fails, 3 when a planned run has no grade or something was left out (which wins), 130 after Ctrl-C. With json, the result line is all that is printed. */
export function showResult(result: Summarized, how: HowToShow): number {
  const gates = judgeGates(how.gates ?? [], result.benchmark)
  const code = how.interrupted ? exitCodes.interrupted : codeFor(result, gates)
  const { folder, benchmark, exported, kept, unread } = result
  if (how.json) {
    const { metadata, run_summary, counts, notes } = benchmark
    const problems = [...(benchmark.problems ?? []), ...(unread === undefined ? [] : [inFolder(unread)])]
    const line = {
      type: 'result',
      exit_code: code,
      ...(how.interrupted && { interrupted: true }),
      folder,
      complete: benchmark.complete === true && unread === undefined,
      ...(problems.length > 0 && { problems }),
      counts,
      run_summary,
      notes,
      metadata,
      exported,
      kept,
      gates,
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  } else
    process.stdout.write(
      `${[...cutShort(how), ...chosenLines(how, result), ...resultLines(result), ...gateLines(gates)].join('\n')}\n`,
    )
  return code
}

/** As in the benchmark's own problems. */
function inFolder({ file, message }: NonNullable<Summarized['unread']>) {
  return { file: path.basename(file), message }
}

/** The numbers that follow are true, and not yet all that was asked for. */
export function cutShort({ interrupted, goesOn = ways.same }: Pick<HowToShow, 'interrupted' | 'goesOn'>): string[] {
  const { bold, yellow } = colours(process.stdout)
  return interrupted ? ['', yellow(bold(interruptedLine(goesOn)))] : []
}

function chosenLines({ asked }: HowToShow, { folder }: Summarized): string[] {
  if (asked === undefined || path.resolve(asked) === folder) return []
  return [`the newest of ${safe(asked)}: ${safe(path.relative(process.cwd(), folder) || folder)}`]
}

function codeFor({ benchmark, kept, unread }: Summarized, gates: readonly GateResult[]): number {
  const used = benchmark.counts?.used ?? 0
  const isWhole = kept === undefined && unread === undefined && benchmark.complete === true
  if (!isWhole || used === 0) return exitCodes.incomplete
  return gates.every(({ passed }) => passed) ? exitCodes.done : exitCodes.gateFailed
}

function resultLines({ benchmark, paths, page, exported, calibration, kept, unread }: Summarized): string[] {
  const { bold, yellow, dim } = colours(process.stdout)
  const { header, rows } = summaryTable(benchmark)
  const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, 70)))
  const table = columns(cells, header.map((_, index) => index).slice(1))
  const place = (file: string) => safe(path.relative(process.cwd(), file) || file)
  const width = textWidth(process.stdout)
  const chosen = chosenSentence(benchmark)
  return [
    '',
    ...(benchmark.complete === true ? [] : [yellow(bold(incomplete(benchmark)))]),
    ...(kept === undefined ? [] : [yellow(bold(keptLine(kept)))]),
    ...(unread === undefined ? [] : [yellow(bold(`LEFT OUT: ${place(unread.file)}: ${safe(unread.message)}`))]),
    ...(chosen === null ? [] : [yellow(safe(chosen))]),
    ...wrap(headline(benchmark), width).map((line) => bold(line)),
    ...sureness(benchmark).flatMap((sentence) => wrap(sentence, width)),
    '',
    dim(table[0] ?? ''),
    ...table.slice(1),
    '',
    ...noteLines(benchmark.notes, width),
    ...[paths.benchmark, paths.markdown, page ? paths.report : undefined, calibration, exported].flatMap((file) =>
      file === undefined ? [] : `${dim('wrote')} ${place(file)}`,
    ),
  ]
}

const mostNotes = 8

function noteLines(notes: readonly string[], width: number): string[] {
  if (notes.length === 0) return []
  const more = notes.length > mostNotes ? [`… ${notes.length - mostNotes} more notes in benchmark.md`] : []
  const shown = notes.slice(0, mostNotes).flatMap((note) => wrap(`- ${note}`, width))
  return [...shown, ...more, '']
}

function keptLine({ runs, judge, reason }: Kept): string {
  const whose =
    runs === 1 ? '1 run, which keeps its earlier grading' : `${runs} runs, which keep their earlier gradings`
  return `THE JUDGE FAILED: ${safe(judge)} decided nothing of ${whose} (${oneLine(reason, 300)})`
}

function incomplete(benchmark: Benchmark): string {
  const { counts } = benchmark
  if (counts === undefined) return 'INCOMPLETE'
  const why = Object.entries(counts.excluded).map(([reason, count]) => `${count} ${reason}`)
  const undecided = undecidedIn(benchmark)
  if (undecided > 0) why.push(`${plural(undecided, 'expectation')} undecided`)
  const leftOut = leftOutFiles(benchmark)
  if (leftOut !== null) why.push(safe(leftOut))
  const stopped = benchmark.metadata.stopped?.reason
  const first = stopped === undefined ? '' : `${safe(stopped)}\n`
  const reasons = why.length === 0 ? '' : ` (${why.join(', ')})`
  return `${first}INCOMPLETE: ${counts.used} of ${counts.planned} planned runs are graded${reasons}`
}
