/** Prints the edits that a benchmark suggests for its suite; returns the exit code. */
import path from 'node:path'
import type { Critique, CritiqueFinding } from '../../../../schemas/critique.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { colours, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'

/** 0; 1 with --fail-on warning if a finding rests on more than a few runs or an opinion. */
export function showCritique(made: Critique, { json, failOn }: { json: boolean; failOn: 'error' | 'warning' }): number {
  const text = json ? jsonText(made, 2) : lines(made).join('\n')
  process.stdout.write(`${text}\n`)
  const isFailed = failOn === 'warning' && made.findings.some(({ severity }) => severity === 'warning')
  return isFailed ? exitCodes.gateFailed : exitCodes.done
}

function lines({ benchmark, suite, runs, cases, findings, gone, notes }: Critique): string[] {
  const { bold, dim, green, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const counts = `${cases} ${cases === 1 ? 'case' : 'cases'}, ${runs} graded ${runs === 1 ? 'run' : 'runs'}`
  const ids = [...new Set(findings.map(({ eval_id }) => eval_id))]
  const warned = findings.filter(({ severity }) => severity === 'warning').length
  return [
    `${bold(toSafeLine(critiquePath(suite ?? benchmark)))} ${dim(`by ${toSafeLine(path.basename(benchmark))}: ${counts}`)}`,
    ...notes.flatMap((note) => wrapText(`- ${note}`, width).map((line) => yellow(line))),
    ...ids.flatMap((id) => caseLines(findings.filter(({ eval_id }) => eval_id === id))),
    '',
    findings.length === 0
      ? green(
          'nothing to edit: every statement shows a difference between the configurations, and the judge was sure of each',
        )
      : `${findings.length} ${findings.length === 1 ? 'edit' : 'edits'} proposed, ${warned} of them on more than a few runs or an opinion${dim(' (docs/reference/check.md)')}`,
    ...(gone === 0 ? [] : [dim(`${gone} about statements that the suite no longer has, left out`)]),
  ]
}

function caseLines(findings: readonly CritiqueFinding[]): string[] {
  const { bold } = colours(process.stdout)
  const [first] = findings
  if (first === undefined) return []
  return ['', bold(`case ${first.eval_id} (${oneLine(first.eval_name, 60)})`), ...findings.flatMap(findingLines)]
}

function findingLines({ severity, file, at, expectation, message, kind, edit }: CritiqueFinding): string[] {
  const { yellow, cyan, dim } = colours(process.stdout)
  const width = Math.max(40, textWidth(process.stdout) - 10)
  const paint = severity === 'info' ? cyan : yellow
  const where = file === null ? '' : `${path.basename(file)}${at === null ? '' : ` ${at}`}`
  const what = expectation === null ? 'the case' : jsonText(oneLine(expectation, 160))
  const [first = '', ...rest] = [
    ...wrapText(`${where === '' ? '' : `${where}: `}${what} ${message} [${kind}]`, width),
    ...wrapText(`${edit.op.replace('_', ' ')}: ${edit.text}`, width).map((line) => dim(line)),
  ]
  return [`  ${paint(severity.padEnd(7))} ${first}`, ...rest.map((line) => `          ${line}`)]
}

function critiquePath(place: string): string {
  const relative = path.relative(process.cwd(), place)
  return relative === '' || relative.startsWith('..') ? place : relative
}
