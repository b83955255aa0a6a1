/** Runs several benchmarks and prints their index: one table, errors and paths. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { BenchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { cutShortLines, type HowToShow } from '../../cli/commands/bench/print.ts'
import type { BenchManyRequest, SeveralBenches, SeveralOutput } from '../../cli/commands/bench/several.ts'
import { withFlow } from '../../cli/commands/options/run_flow.ts'
import { exitCodes, findWorstExit } from '../../cli/exit_codes.ts'
import { toExitCode } from '../../cli/print_error.ts'
import { gateLines, judgeGates } from '../../cli/reporters/gates.ts'
import { reportTexts } from '../../cli/reporters/report_texts.ts'
import { writeReports } from '../../cli/reporters/reporters.ts'
import { continueLines, findResumeCommand } from '../../cli/resume_command.ts'
import {
  alignColumns,
  colours,
  fitColumns,
  oneLine,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import { benchLastFailed } from '../../flows/bench/last_failed.ts'
import type { GateOutcome } from '../../phases/4-report/gate/check_gates.ts'
import { indexPaths } from '../../store/paths.ts'
import { type BenchManyResult, benchMany, planBenchMany } from './bench_several.ts'
import { frontSentence, indexHeadline, indexHint, indexTable, pairsSentence, pairsTable } from './index_table.ts'

export const severalBenches: SeveralBenches = { plan: planBenchMany, start: startSeveral }

async function startSeveral(request: BenchManyRequest, how: SeveralOutput): Promise<number> {
  const { json, goesOn, waits, isLastFailed, ...pipeline } = how
  const { concurrency } = request
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, (context) =>
    isLastFailed ? benchMany(request, context, benchLastFailed) : benchMany(request, context),
  )
  return showIndex(result, { json, interrupted, goesOn, makesMissing: true, ...pipeline })
}

type ReportedBenchmarks = { name: string; benchmark: Benchmark; gates: GateOutcome[] }[]

/** With json, prints only the index line. Writes the reports last, so that a write error hides nothing. */
async function showIndex(made: BenchManyResult, how: HowToShow): Promise<number> {
  const reported = made.ends.flatMap((end) => {
    if (end.status !== 'benched') return []
    const { benchmark } = end.result
    const name = [benchmark.metadata.skill_name, end.cell].filter(Boolean).join(' ')
    return [{ name, benchmark, gates: judgeGates(how.gates ?? [], benchmark) }]
  })
  const code = printIndex(made, reported, how)
  if (reported.length > 0) await writeReports(how.reporters ?? [], reportTexts.ofBenchmarks, reported)
  return code
}

function printIndex({ root, index, ends }: BenchManyResult, reported: ReportedBenchmarks, how: HowToShow): number {
  const codes: number[] = [
    ...(how.interrupted ? [exitCodes.interrupted] : []),
    ...ends.flatMap((end) => (end.status === 'failed' ? toExitCode(end.error) : [])),
    ...reported.flatMap(({ gates }) => (gates.every(({ passed }) => passed) ? [] : exitCodes.gateFailed)),
    ...index.rows.flatMap(({ status }) => (status === 'incomplete' ? exitCodes.incomplete : [])),
  ]
  const code = findWorstExit(codes)
  const benchmarks = reported.map(({ benchmark }) => benchmark)
  const resume = findResumeCommand(benchmarks, how)
  if (how.json) {
    const gates = reported.map(({ name, gates }) => ({ name, gates }))
    const start = { type: 'index', exit_code: code, ...(resume !== null && { resume }), folder: root }
    process.stdout.write(`${jsonText({ ...start, ...index, gates })}\n`)
    return code
  }
  const { bold, dim, yellow } = colours(process.stdout)
  const { header, rows } = indexTable(index)
  const cells = rows.map((row) => row.map((cell) => oneLine(cell, 80)))
  const numbers = header.flatMap((title, at) =>
    at === 0 || title === 'engine' || title === 'rate and price' || title === '' ? [] : [at],
  )
  const width = textWidth(process.stdout)
  const table = fitColumns(cells, { header, right: numbers, width })
  const place = (file: string) => `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file) || file)}`
  const paths = indexPaths(root)
  const judge = index.judge === null ? [] : [dim(toSafeLine(`judge of all: ${index.judge}`))]
  const hint = [indexHint(index)].flatMap((line) => (line === null ? [] : [dim(line)]))
  const lines = [
    ...cutShortLines(how),
    '',
    ...wrapText(indexHeadline(index), width).map(bold),
    ...continueLines(benchmarks, how).map((line) => yellow(bold(toSafeLine(line)))),
    '',
    dim(table[0] ?? ''),
    ...table.slice(1),
    '',
    ...hint,
    ...judge,
    ...comparisonLines(index),
  ]
  const judged = reported.flatMap(({ name, gates }) => gateLines(gates).map((line) => `${toSafeLine(name)}: ${line}`))
  process.stdout.write(`${[...lines, ...judged, ...[paths.index, paths.markdown, paths.page].map(place)].join('\n')}\n`)
  return code
}

/** The rows against each other: the front of pass rate and price, then engines and models in pairs. */
function comparisonLines(index: BenchmarkIndex): string[] {
  const width = textWidth(process.stdout)
  const sentences = (text: string | null) => (text === null ? [] : ['', ...wrapText(toSafeLine(text), width)])
  const pairs = pairsTable(index)
  const cells = pairs === null ? [] : [pairs.header, ...pairs.rows].map((row) => row.map((cell) => oneLine(cell, 80)))
  const numbers = pairs?.header.map((_, at) => at).slice(1) ?? []
  return [
    ...sentences(frontSentence(index)),
    ...sentences(pairsSentence(index)),
    ...(pairs === null ? [] : ['', ...alignColumns(cells, numbers), '']),
  ]
}
