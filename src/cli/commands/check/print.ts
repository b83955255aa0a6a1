/** Prints the problems that `check` found, skill by skill; returns the exit code. */
import path from 'node:path'
import type { CheckReport, Problem, Severity, TaskTrial, TriedTask } from '../../../../schemas/check_report.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { adaptText } from '../../help/installed_text.ts'
import { commandLines } from '../../terminal/command_lines.ts'
import { colours, toSafeLine } from '../../terminal/style.ts'
import { overlapLines } from './overlap_lines.ts'

/** 2 if something is unreadable, 1 if a problem is at least as severe as `failOn`, else 0. */
export function showProblems(report: CheckReport, how: { json: boolean; failOn: 'error' | 'warning' }): number {
  const text = how.json ? jsonText(report, 2) : lines(report).join('\n')
  process.stdout.write(`${text}\n`)
  if (report.skills.some(({ readable }) => !readable)) return exitCodes.usage
  const { error, warning } = report.counts
  return error > 0 || (how.failOn === 'warning' && warning > 0) ? exitCodes.gateFailed : exitCodes.done
}

function lines({ skills, counts, overlaps, passed_over = [] }: CheckReport): string[] {
  const { bold, dim, green } = colours(process.stdout)
  const groups = skills.flatMap(({ path: place, problems, commands = [], tasks = [] }) => [
    bold(toSafeLine(problemPath(place))),
    ...(problems.length === 0 ? [`  ${green('no problem')}`] : []),
    ...problems
      .filter(({ rule }) => tasks.length === 0 || rule !== 'unsound-task')
      .flatMap((one) => problemLines(one, place)),
    ...taskLines(tasks),
    ...commandLines(commands, null).map((line) => `  ${line}`),
    '',
  ])
  const parts = [many(counts.error, 'error'), many(counts.warning, 'warning'), `${counts.info} info`]
  const over = passed_over.map(({ path: place, reason }) => dim(toSafeLine(`ignored ${problemPath(place)}: ${reason}`)))
  return [
    ...groups,
    ...over,
    ...(overlaps === undefined ? [] : [...overlapLines(overlaps), '']),
    `${many(skills.length, 'skill')}: ${parts.join(', ')}${dim(adaptText(' (docs/reference/check.md lists the rules)'))}`,
  ]
}

function problemLines(one: Problem, place: string): string[] {
  const { red, yellow, cyan, dim } = colours(process.stdout)
  const paint: Record<Severity, (text: string) => string> = { error: red, warning: yellow, info: cyan }
  const inside = path.relative(place, one.file)
  const file = inside === '' || inside.startsWith('..') ? path.basename(one.file) : inside
  const where = `${file}${one.line === null ? '' : `:${one.line}`}${one.at === null ? '' : ` ${one.at}`}`
  return [
    `  ${paint[one.severity](one.severity.padEnd(7))} ${toSafeLine(where)}: ${toSafeLine(one.message)} ${dim(`[${one.rule}]`)}`,
    `          ${dim(adaptText(toSafeLine(one.fix)))}`,
  ]
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function problemPath(place: string): string {
  const relative = path.relative(process.cwd(), place)
  return relative === '' || relative.startsWith('..') ? place : relative
}

/** Empty without a task. */
function taskLines(tasks: readonly TriedTask[]): string[] {
  if (tasks.length === 0) return []
  const { green, red, dim } = colours(process.stdout)
  const width = Math.min(40, Math.max(...tasks.map(({ name }) => name.length), 4))
  const rows = tasks.map((one) => {
    const name = toSafeLine(one.name).padEnd(width)
    const rewards = `${rewardText(one.oracle)}  ${rewardText(one.null)}`
    if (one.sound) return `  ${green('sound    ')}  ${name}  ${rewards}`
    return `  ${red('not sound')}  ${name}  ${rewards}  ${dim(toSafeLine(one.reason ?? ''))}`
  })
  const sound = tasks.filter((one) => one.sound).length
  return [
    dim(`  ${' '.repeat(9)}  ${'task'.padEnd(width)}  oracle  null`),
    ...rows,
    `  ${sound} of ${tasks.length} tasks ${sound === 1 ? 'is' : 'are'} sound on this machine`,
  ]
}

/** A dash: not tried, or without a reward. */
function rewardText(trial: TaskTrial | undefined): string {
  const reward = trial?.reward ?? null
  return (reward === null ? '–' : String(Math.round(reward * 100) / 100)).padEnd(6)
}
