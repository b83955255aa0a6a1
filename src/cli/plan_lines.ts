/** A plan as lines for --dry-run: what would run, on what, how many calls, what the loader had to forgive. */

import type { EngineChoice, Plan } from '../../schemas/plan.ts'
import type { Prepared } from '../flows/prepare.ts'
import { plural } from '../phases/4-report/words.ts'
import { columns, oneLine, safe } from './style.ts'

export function planLines({ plan, workspace, choices }: Prepared): string[] {
  const { options } = plan
  const rows = plan.cases.map((one) => [
    String(one.eval_id),
    oneLine(one.eval_name, 40),
    one.cannot_run === null ? runsOf(plan, one.eval_id) : 'cannot run',
    String(one.files.length),
    String(one.expectations.length),
    String(one.checks.length),
    `${one.timeout_seconds ?? options.timeout_seconds} s`,
  ])
  const header = ['id', 'case', 'runs', 'files', 'expectations', 'checks', 'timeout']
  return [
    `skill     ${plan.skill.name} (${plan.skill.path})`,
    ...(plan.baseline === null ? [] : [`baseline  ${plan.baseline.name} (${plan.baseline.path})`]),
    `suite     ${plan.suite.path} (${plan.suite.format})`,
    `engine    ${engineText(options.engine)} · ${options.activation} activation`,
    `judge     ${options.judge === null ? 'none needed' : engineText(options.judge)}`,
    `results   ${workspace}`,
    ...choices.map((choice) => `          ${choice}`),
    '',
    ...columns([header, ...rows], [0, 3, 4, 5, 6]),
    '',
    `${options.until === undefined ? '' : 'at most '}${plural(plan.calls.agent_runs, 'agent run')}, ${plural(plan.calls.judge_calls, 'judge call')}`,
    ...plan.cases.flatMap((one) => (one.cannot_run === null ? [] : [`cannot run ${one.eval_id}: ${one.cannot_run}`])),
    ...plan.warnings.map((warning) => `warning   ${warning.file} ${warning.at}: ${warning.message}`),
  ].map(safe)
}

function runsOf(plan: Plan, evalId: number): string {
  const arms = [...new Set([plan.candidate_configuration, plan.baseline_configuration])]
  return arms
    .map((arm) => `${plan.runs.filter((run) => run.eval_id === evalId && run.configuration === arm).length} ${arm}`)
    .join(', ')
}

function engineText(choice: EngineChoice): string {
  if (choice.command) return `${choice.name} (${choice.command})`
  const where = choice.base_url ? ` at ${choice.base_url}` : ''
  return choice.model ? `${choice.name} (${choice.model})${where}` : `${choice.name}${where}`
}
