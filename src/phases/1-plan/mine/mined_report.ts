/** The text of mined/report.md. Pure. */
import type { EvalCase } from '../../../../schemas/evals.ts'
import type { MinedQueries } from './mined_queries.ts'
import type { MinedTask } from './recurring_tasks.ts'

export interface MinedReport {
  skill: string | null
  /** Sessions that were read, without copies. */
  sessions: number
  copies: number
  /** Files that were not used, with the reason. */
  refused: readonly { file: string; reason: string }[]
  /** Sessions left out, by reason. */
  leftOut: Readonly<Record<string, number>>
  tasks: readonly MinedTask[]
  /** A case of each drafted task, with the task. */
  drafted: readonly { case: EvalCase; task: MinedTask }[]
  queries: MinedQueries
  removed: Readonly<Record<string, number>>
  warnings: readonly string[]
}

const mostListed = 40

export function writeMinedReport(report: MinedReport): string {
  const { drafted, queries, tasks } = report
  const once = tasks.filter(({ recurs }) => !recurs).length
  const lines = [
    '# Drafts from recorded sessions',
    '',
    '**Review before you commit.** Secrets and personal data are removed where they have a known form. There is no guarantee: read every case and query.',
    '',
    `- ${countNoun(report.sessions, 'session')} (${countNoun(report.copies, 'record')} resumed or copied from others)`,
    ...Object.entries(report.leftOut).map(([reason, count]) => `- ${countNoun(count, 'session')} left out: ${reason}`),
    `- ${countNoun(drafted.length, 'case')} from recurring tasks; ${countNoun(once, 'task')} too rare for a case`,
    `- ${queries.queries.length} trigger ${queries.queries.length === 1 ? 'query' : 'queries'}${report.skill === null ? '' : ` for ${report.skill}`}`,
    ...report.warnings.map((one) => `- ${one}`),
    '',
    '## Cases',
    ...drafted.flatMap((one) => describeCase(one)),
    '',
    '## Removed',
    '',
    ...listRemoved(report.removed),
    ...listSome(
      'Trigger queries that were left out',
      queries.unclear.map((text) => oneLine(text)),
      [
        'The skill was not read here, but it was in other sessions of the same task. Decide whether it should have been.',
      ],
    ),
    ...listSome(
      'Files that were not used',
      report.refused.map(({ file, reason }) => `${oneLine(file)}: ${oneLine(reason)}`),
    ),
  ]
  return `${lines.join('\n')}\n`
}

const countNoun = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function describeCase({ case: one, task }: MinedReport['drafted'][number]): string[] {
  const { sessions } = task
  const files = unite(sessions.map((each) => each.files))
  const shown = sessions
    .slice(0, mostListed)
    .map(({ agent, id, startedAt }) => `${agent} ${id}${startedAt === null ? '' : ` (${startedAt.slice(0, 10)})`}`)
  return [
    '',
    `### ${one.id}. ${one.name}: ${countNoun(sessions.length, 'session')}, ${task.split === 'train' ? 'training' : 'held out'}`,
    '',
    `> ${oneLine(one.prompt)}`,
    '',
    ...(files.length === 0
      ? []
      : [`- Files to add to evals/files and to the case: ${files.map((file) => `\`${file}\``).join(', ')}`]),
    ...sessions.slice(1, 6).map(({ messages }) => `- Also asked as: ${oneLine(messages[0] ?? '')}`),
    `- Sessions: ${shown.join(', ')}${sessions.length > mostListed ? ` and ${sessions.length - mostListed} more` : ''}`,
  ]
}

function listRemoved(removed: MinedReport['removed']): string[] {
  const rows = Object.entries(removed)
  if (rows.length === 0) return ['Nothing of a known form was found.']
  return [
    '| what | times |',
    '|---|---|',
    ...rows.map(([name, count]) => `| ${name.replaceAll('|', '/')} | ${count} |`),
  ]
}

function listSome(title: string, items: readonly string[], before: readonly string[] = []): string[] {
  if (items.length === 0) return []
  const more = items.length > mostListed ? [`- and ${items.length - mostListed} more`] : []
  return ['', `## ${title}`, '', ...before, ...items.slice(0, mostListed).map((item) => `- ${item}`), ...more]
}

function unite(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].slice(0, 12)
}

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length > 160 ? `${flat.slice(0, 157)}…` : flat
}
