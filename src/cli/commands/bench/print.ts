/** Prints the result of a flow: headline, table, notes and paths; returns the exit code. */
import path from 'node:path'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/package_root.ts'
import { amountText, usdText } from '../../../flows/limits/limits.ts'
import type { KeptGradings, SummarizedBenchmark } from '../../../flows/report/summarize.ts'
import { costText } from '../../../phases/4-report/benchmark/cost.ts'
import {
  countUndecided,
  leftOutCases,
  leftOutFiles,
  listExclusions,
} from '../../../phases/4-report/benchmark/incomplete.ts'
import type { GateOutcome } from '../../../phases/4-report/gate/check_gates.ts'
import type { Gate } from '../../../phases/4-report/gate/parse_gate.ts'
import { suspiciousLine } from '../../../phases/4-report/judge/suspicious_runs.ts'
import { isFamilyNote } from '../../../phases/4-report/notes/notes.ts'
import { formatConfiguration, formatPlural } from '../../../phases/4-report/text/format.ts'
import { benchmarkHeadline, confidenceNotes } from '../../../phases/4-report/text/headline.ts'
import { coverageSentences } from '../../../phases/4-report/text/selected_cases.ts'
import { summaryTable } from '../../../phases/4-report/text/summary_table.ts'
import { chooseExitCode } from '../../exit_codes.ts'
import { gateLines, judgeGates } from '../../reporters/gates.ts'
import { reportTexts } from '../../reporters/report_texts.ts'
import { type Reporter, writeReports } from '../../reporters/reporters.ts'
import { continueLines, findResumeCommand, type ResumeFacts } from '../../resume_command.ts'
import { interruptedLine, type ResumeWay, resumeWays } from '../../terminal/interrupt.ts'
import { alignColumns, colours, fitColumns, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'

export interface HowToShow extends ResumeFacts {
  json: boolean
  goesOn?: ResumeWay
  /** The requested folder: if the benchmark is a different one, its path is printed. */
  asked?: string
  gates?: readonly Gate[]
  reporters?: readonly Reporter[]
  /** Commands after the program's name, with what each is for; absent: `view` and `explain`. */
  next?: (folder: string) => readonly (readonly [command: string, purpose: string])[]
}

/**
 * Exit code 0, 1 when a gate fails, 3 when a planned run has no grade or a case or file was left out (takes precedence), 130 after Ctrl-C.
 * With json, prints only the result line. Writes the reports last, so that a write error hides nothing.
 */
export async function showResult(result: SummarizedBenchmark, how: HowToShow): Promise<number> {
  const { benchmark } = result
  const gates = judgeGates(how.gates ?? [], benchmark)
  const code = printResult(result, gates, how)
  const reported = [{ name: benchmark.metadata.skill_name, benchmark, gates }]
  await writeReports(how.reporters ?? [], reportTexts.ofBenchmarks, reported)
  return code
}

function printResult(result: SummarizedBenchmark, gates: readonly GateOutcome[], how: HowToShow): number {
  const code = benchExitCode(result, gates, how.interrupted)
  const { folder, benchmark, exported, kept, unread } = result
  const resume = findResumeCommand([benchmark], how)
  if (how.json) {
    const { metadata, run_summary, counts, notes, injection_attempts } = benchmark
    const problems = [...(benchmark.problems ?? []), ...(unread === undefined ? [] : [withBaseName(unread)])]
    const line = {
      type: 'result',
      exit_code: code,
      ...(how.interrupted && { interrupted: true }),
      folder,
      complete: benchmark.complete === true && unread === undefined,
      ...(problems.length > 0 && { problems }),
      ...(resume !== null && { resume }),
      counts,
      run_summary,
      ...(benchmark.statistics?.price && { price: benchmark.statistics.price }),
      injection_attempts,
      notes,
      metadata,
      exported,
      kept,
      gates,
    }
    process.stdout.write(`${jsonText(line)}\n`)
  } else
    process.stdout.write(
      `${[...cutShortLines(how), ...chosenLines(how, result), ...resultLines(result, how), ...gateLines(gates), ...nextLines(result, how)].join('\n')}\n`,
    )
  return code
}

/** With the base name, as in the benchmark's own problems. */
function withBaseName({ file, message }: NonNullable<SummarizedBenchmark['unread']>) {
  return { file: path.basename(file), message }
}

/** Marks correct but incomplete numbers. */
export function cutShortLines({
  interrupted,
  goesOn = resumeWays.same,
}: Pick<HowToShow, 'interrupted' | 'goesOn'>): string[] {
  const { bold, yellow } = colours(process.stdout)
  return interrupted ? ['', yellow(bold(interruptedLine(goesOn)))] : []
}

function chosenLines({ asked }: HowToShow, { folder }: SummarizedBenchmark): string[] {
  if (asked === undefined || path.resolve(asked) === folder) return []
  return [`the newest of ${toSafeLine(asked)}: ${toSafeLine(path.relative(process.cwd(), folder) || folder)}`]
}

/** The notes of benchmark.md that the terminal shows. */
const mostNotes = 3

function resultLines(result: SummarizedBenchmark, how: HowToShow): string[] {
  const { benchmark, paths, page, exported, calibration, kept, unread } = result
  const { bold, yellow, dim } = colours(process.stdout)
  const { header, rows } = summaryTable(benchmark)
  const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, 70)))
  const table = alignColumns(cells, header.map((_, index) => index).slice(1))
  const place = (file: string) => toSafeLine(path.relative(process.cwd(), file) || file)
  const width = textWidth(process.stdout)
  const suspicious = suspiciousLine(benchmark)
  const leftOut = leftOutCases(benchmark)
  const { cost } = benchmark
  // `bench` warned of its judge before the runs
  const notes = benchmark.notes.filter((note) => how.makesMissing !== true || !isFamilyNote(note))
  const written = [paths.benchmark, paths.markdown, page ? paths.report : undefined, calibration, exported]
  return [
    '',
    ...(benchmark.complete === true ? [] : [yellow(bold(incomplete(benchmark)))]),
    ...firstFailureLines(benchmark),
    ...continueLines([benchmark], how).map((line) => yellow(bold(toSafeLine(line)))),
    ...(leftOut === null ? [] : [yellow(bold(`INCOMPLETE: ${toSafeLine(leftOut)}`))]),
    ...(kept === undefined ? [] : [yellow(bold(keptLine(kept)))]),
    ...(unread === undefined ? [] : [yellow(bold(`LEFT OUT: ${place(unread.file)}: ${toSafeLine(unread.message)}`))]),
    ...coverageSentences(benchmark).flatMap((one) => wrapText(toSafeLine(one), width).map((line) => yellow(line))),
    ...wrapText(benchmarkHeadline(benchmark), width).map(verdictStyle(benchmark)),
    ...(suspicious === null ? [] : wrapText(toSafeLine(suspicious), width).map((line) => yellow(bold(line)))),
    ...confidenceNotes(benchmark).flatMap((sentence) => wrapText(sentence, width)),
    '',
    dim(table[0] ?? ''),
    ...table.slice(1),
    ...(cost === undefined ? [] : ['', `cost: ${toSafeLine(costText(cost))}`]),
    '',
    ...notes.slice(0, mostNotes).flatMap((note) => wrapText(`- ${note}`, width)),
    ...(notes.length > mostNotes
      ? [dim(`${formatPlural(notes.length - mostNotes, 'more note')} in ${path.basename(paths.markdown)}`)]
      : []),
    ...(notes.length === 0 ? [] : ['']),
    ...writtenLines(written, place)
      .flatMap((line) => wrapText(`wrote ${line}`, width))
      .map((line) => line.replace(/^wrote/, dim)),
  ]
}

/** One line for the files of a folder. */
function writtenLines(files: readonly (string | undefined)[], place: (file: string) => string): string[] {
  const known = files.flatMap((file) => file ?? [])
  return [...new Set(known.map((file) => path.dirname(file)))].map((folder) => {
    const [first = '', ...others] = known.filter((file) => path.dirname(file) === folder)
    return [place(first), ...others.map((file) => toSafeLine(path.basename(file)))].join(', ')
  })
}

/** Bold, and green or red where the verdict is a difference. */
function verdictStyle({ statistics, observational }: Benchmark): (line: string) => string {
  const { bold, green, red } = colours(process.stdout)
  const verdict = observational === true ? undefined : statistics?.scopes?.these_cases.verdict
  if (verdict === 'helps') return (line) => bold(green(line))
  return verdict === 'hurts' ? (line) => bold(red(line)) : bold
}

function nextLines({ folder, benchmark }: SummarizedBenchmark, { next, asked, interrupted }: HowToShow): string[] {
  if (interrupted || (next === undefined && asked !== undefined)) return []
  const shown = toSafeLine(path.relative(process.cwd(), folder) || folder)
  const hasFailures = benchmark.runs.some(({ result }) => result.failed > 0)
  const usual: [string, string][] = [
    [`view ${shown}`, 'open the report'],
    ...(hasFailures ? [[`explain ${shown}`, 'show why cases failed'] satisfies [string, string]] : []),
  ]
  const rows = (next?.(shown) ?? usual).map(([command, purpose]) => [`  ${typedCommand()} ${command}`, purpose])
  return ['', 'next:', ...fitColumns(rows, { width: textWidth(process.stdout) })]
}

/** Why the first failed run failed; benchmark.md lists all of them. */
function firstFailureLines({ excluded_runs = [] }: Benchmark): string[] {
  const failed = excluded_runs.find(({ reason }) => reason === 'failed')
  if (failed === undefined) return []
  const { eval_id, eval_name, configuration, run_number, message } = failed
  const run = `case ${eval_id} ${eval_name}, ${formatConfiguration(configuration)}, run ${run_number}`
  return [oneLine(`first failure: ${run}: ${message}`, 500)]
}

function keptLine({ runs, judge, reason, tokens, costUsd }: KeptGradings): string {
  const cost = costUsd === null ? 'cost not known' : usdText(costUsd)
  const spent = `its answers took ${tokens === null ? 'an unknown number of tokens' : amountText('tokens', tokens)}, ${cost}`
  const whose =
    runs === 1 ? '1 run, which keeps its earlier grading' : `${runs} runs, which keep their earlier gradings`
  return `THE JUDGE FAILED: ${toSafeLine(judge)} decided nothing of ${whose}; ${spent} (${oneLine(reason, 300)})`
}

function incomplete(benchmark: Benchmark): string {
  const { counts } = benchmark
  if (counts === undefined) return 'INCOMPLETE'
  const why = listExclusions(counts)
  const undecided = countUndecided(benchmark)
  if (undecided > 0) why.push(`${formatPlural(undecided, 'expectation')} undecided`)
  const leftOut = leftOutFiles(benchmark)
  if (leftOut !== null) why.push(toSafeLine(leftOut))
  const stopped = benchmark.metadata.stopped?.reason
  const first = stopped === undefined ? '' : `${toSafeLine(stopped)}\n`
  const reasons = why.length === 0 ? '' : ` (${why.join(', ')})`
  return `${first}INCOMPLETE: ${counts.used} of ${counts.planned} planned runs are graded${reasons}`
}

/** The exit code of `bench`: 0 done, 1 a gate failed, 3 incomplete: a planned run without a grade (also one that the user excludes, if it could decide the verdict), or a case graded in one configuration only; 3 wins over 1. */
export function benchExitCode(
  { benchmark, kept, unread }: SummarizedBenchmark,
  gates: readonly GateOutcome[],
  interrupted = false,
): number {
  const used = benchmark.counts?.used ?? 0
  const { statistics } = benchmark
  const isWhole =
    kept === undefined && unread === undefined && benchmark.complete === true && !statistics?.missing_grades
  // people chose which sessions there are
  const unpaired = benchmark.observational === true ? 0 : (statistics?.unpaired_cases?.length ?? 0)
  const incomplete = !isWhole || used === 0 || unpaired > 0 || leftOutCases(benchmark) !== null
  return chooseExitCode({ interrupted, incomplete, failed: gates.some(({ passed }) => !passed) })
}
