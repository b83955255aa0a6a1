/** Prints the table of tried Harbor tasks: which are sound on this machine, and why the others are not. */
import type { TaskTrial, TriedTask } from '../../../../schemas/check_report.ts'
import { colours, toSafeLine } from '../../terminal/style.ts'

/** Empty without a task. */
export function taskLines(tasks: readonly TriedTask[]): string[] {
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
