/** Prints what a bench of several ended with: one table, the errors, the paths; gives the worst exit code of all. */
import path from 'node:path'
import type { ManyResult } from '../flows/bench_many.ts'
import { indexHeadline, indexHint, indexTable } from '../phases/4-report/index_table.ts'
import { indexPaths } from '../store/paths.ts'
import { codeFor } from './error_code.ts'
import { exitCodes } from './exit.ts'
import { gateLines, judgeGates } from './gates.ts'
import { report } from './report.ts'
import { cutShort, type HowToShow } from './show.ts'
import { colours, columns, oneLine, safe } from './style.ts'

/** From bad to good: the first that any of them has is the program's. */
const worstFirst = [
  exitCodes.interrupted,
  exitCodes.bug,
  exitCodes.usage,
  exitCodes.incomplete,
  exitCodes.gateFailed,
] as const

/** With json, the index line is all that is printed. */
export async function showIndex({ root, index, ends }: ManyResult, how: HowToShow): Promise<number> {
  const reported = ends.flatMap((end) => {
    if (end.status !== 'benched') return []
    const { benchmark } = end.result
    const name = [benchmark.metadata.skill_name, end.cell].filter(Boolean).join(' ')
    return [{ name, benchmark, gates: judgeGates(how.gates ?? [], benchmark) }]
  })
  if (reported.length > 0) await report(how.reporters ?? [], ({ ofBenchmarks }) => ofBenchmarks, reported)
  const codes: number[] = [
    ...(how.interrupted ? [exitCodes.interrupted] : []),
    ...ends.flatMap((end) => (end.status === 'failed' ? codeFor(end.error) : [])),
    ...reported.flatMap(({ gates }) => (gates.every(({ passed }) => passed) ? [] : exitCodes.gateFailed)),
    ...index.rows.flatMap(({ status }) => (status === 'incomplete' ? exitCodes.incomplete : [])),
  ]
  const code = worstFirst.find((one) => codes.includes(one)) ?? exitCodes.done
  if (how.json) {
    process.stdout.write(
      `${JSON.stringify({ type: 'index', exit_code: code, folder: root, ...index, gates: reported.map(({ name, gates }) => ({ name, gates })) })}\n`,
    )
    return code
  }
  const { bold, dim } = colours(process.stdout)
  const { header, rows } = indexTable(index)
  const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, 80)))
  const numbers = header.flatMap((title, at) => (at === 0 || title === 'engine' || title === '' ? [] : [at]))
  const table = columns(cells, numbers)
  const place = (file: string) => `${dim('wrote')} ${safe(path.relative(process.cwd(), file) || file)}`
  const paths = indexPaths(root)
  const judge = index.judge === null ? [] : [dim(safe(`judge of all: ${index.judge}`))]
  const hint = [indexHint(index)].flatMap((line) => (line === null ? [] : [dim(line)]))
  const lines = [
    ...cutShort(how),
    '',
    bold(indexHeadline(index)),
    '',
    dim(table[0] ?? ''),
    ...table.slice(1),
    '',
    ...hint,
    ...judge,
  ]
  const judged = reported.flatMap(({ name, gates }) => gateLines(gates).map((line) => `${safe(name)}: ${line}`))
  process.stdout.write(`${[...lines, ...judged, ...[paths.index, paths.markdown, paths.page].map(place)].join('\n')}\n`)
  return code
}
