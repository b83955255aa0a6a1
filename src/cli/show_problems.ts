/** Prints what `check` found, skill by skill; gives the exit code. */
import path from 'node:path'
import type { CheckReport, Problem, Severity } from '../../schemas/check_report.ts'
import { exitCodes } from './exit.ts'
import { colours, safe } from './style.ts'

/** 2 where something could not be read, 1 where a problem is as bad as `failOn`, else 0. */
export function showProblems(report: CheckReport, how: { json: boolean; failOn: 'error' | 'warning' }): number {
  const text = how.json ? JSON.stringify(report, null, 2) : lines(report).join('\n')
  process.stdout.write(`${text}\n`)
  if (report.skills.some(({ readable }) => !readable)) return exitCodes.usage
  const { error, warning } = report.counts
  return error > 0 || (how.failOn === 'warning' && warning > 0) ? exitCodes.gateFailed : exitCodes.done
}

function lines({ skills, counts, passed_over = [] }: CheckReport): string[] {
  const { bold, dim, green } = colours(process.stdout)
  const groups = skills.flatMap(({ path: place, problems }) => [
    bold(safe(shown(place))),
    ...(problems.length === 0 ? [`  ${green('no problem')}`] : problems.flatMap((one) => problemLines(one, place))),
    '',
  ])
  const parts = [many(counts.error, 'error'), many(counts.warning, 'warning'), `${counts.info} info`]
  const over = passed_over.map(({ path: place, reason }) => dim(safe(`passed over ${shown(place)}: ${reason}`)))
  return [
    ...groups,
    ...over,
    `${many(skills.length, 'skill')}: ${parts.join(', ')}${dim(' (docs/check.md lists the rules)')}`,
  ]
}

function problemLines(one: Problem, place: string): string[] {
  const { red, yellow, cyan, dim } = colours(process.stdout)
  const paint: Record<Severity, (text: string) => string> = { error: red, warning: yellow, info: cyan }
  const inside = path.relative(place, one.file)
  const file = inside === '' || inside.startsWith('..') ? path.basename(one.file) : inside
  const where = `${file}${one.line === null ? '' : `:${one.line}`}${one.at === null ? '' : ` ${one.at}`}`
  return [
    `  ${paint[one.severity](one.severity.padEnd(7))} ${safe(where)}: ${safe(one.message)} ${dim(`[${one.rule}]`)}`,
    `          ${dim(safe(one.fix))}`,
  ]
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function shown(place: string): string {
  const relative = path.relative(process.cwd(), place)
  return relative === '' || relative.startsWith('..') ? place : relative
}
