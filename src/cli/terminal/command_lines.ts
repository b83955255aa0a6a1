/** Formats the commands of a suite and its skills for a terminal: what would start, for which cases. */
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { commandOwner } from '../../flows/authorize/suite_commands.ts'
import { formatCount, formatPlural } from '../../phases/4-report/text/format.ts'
import { alignColumns, oneLine } from './style.ts'

const mostLines = 20
const longest = 160

/** A heading, then a line for each command, control characters shown as ·; empty without commands. `confined` null: not known. */
export function commandLines(commands: readonly SuiteCommand[], confined: boolean | null): string[] {
  if (commands.length === 0) return []
  const rows = commands
    .slice(0, mostLines)
    .map((one) => [`  ${one.kind.replace('mcp', 'MCP').replace('_', ' ')}`, casesText(one.cases), commandText(one)])
  const more = commands.length - rows.length
  return [
    `${formatPlural(commands.length, 'command')} of ${commandOwner(commands)}${whereText(confined)}:`,
    ...alignColumns(rows),
    ...(more > 0 ? [`  … ${formatCount(more)} more (--json lists all)`] : []),
  ]
}

function whereText(confined: boolean | null): string {
  if (confined === null) return ''
  return confined ? ', in the sandbox' : ', as you and without a sandbox'
}

function casesText(cases: readonly string[]): string {
  const [first = ''] = cases
  const others = cases.length - 1
  return `${oneLine(first, 30)}${others > 0 ? ` +${formatPlural(others, 'case')}` : ''}`
}

function commandText({ command, source }: SuiteCommand): string {
  const letters = [...`${source === undefined ? '' : `${source}: `}${command.trim()}`]
  const more = letters.length - longest
  const text = oneLine(letters.slice(0, longest).join(''), Number.POSITIVE_INFINITY)
  return more > 0 ? `${text}… (${formatPlural(more, 'more character')})` : text
}
