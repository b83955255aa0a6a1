/** Formats a plan for --dry-run: what would run, on what, how many calls, and the loader's warnings. */
import { defaultUserTurns } from '../../../../schemas/conversation.ts'
import type { EngineChoice, Plan } from '../../../../schemas/plan.ts'
import type { CommandReview } from '../../../flows/authorize/suite_commands.ts'
import type { PreparedBench } from '../../../flows/prepare/prepare_bench.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { warningLines } from '../../error_lines.ts'
import { commandLines } from '../../terminal/command_lines.ts'
import { alignColumns, oneLine, toSafeLine } from '../../terminal/style.ts'

export function planLines({ plan, workspace, choices, review }: PreparedBench & { review: CommandReview }): string[] {
  const { options } = plan
  const rows = plan.cases.map((one) => [
    String(one.eval_id),
    oneLine(one.eval_name, 40),
    one.cannot_run === null ? runsText(plan, one.eval_id) : 'cannot run',
    String(one.files.length),
    String(one.expectations.length),
    String(one.checks.length),
    `${one.timeout_seconds ?? options.timeout_seconds} s`,
  ])
  const header = ['id', 'case', 'runs', 'files', 'expectations', 'checks', 'timeout']
  return [
    `skill     ${plan.skill.name} (${plan.skill.path})`,
    ...(plan.baseline === null ? [] : [`baseline  ${plan.baseline.name} (${plan.baseline.path})`]),
    ...otherLines(plan),
    `suite     ${plan.suite.path} (${plan.suite.format})`,
    `engine    ${engineText(options.engine)}${activationText(plan)}`,
    `judge     ${options.judge === null ? 'none needed' : engineText(options.judge)}`,
    ...(options.user === undefined ? [] : [`user      ${engineText(options.user)}`]),
    `results   ${workspace}`,
    ...choices.map((choice) => `          ${choice}`),
    '',
    ...alignColumns([header, ...rows], [0, 3, 4, 5, 6]),
    '',
    `${options.until === undefined ? '' : 'at most '}${formatPlural(plan.calls.agent_runs, 'agent run')}, ${formatPlural(plan.calls.judge_calls, 'judge call')}${playedText(plan)}`,
    ...commandLines(review.commands, review.confinement.sandbox.mechanism !== 'none'),
    ...plan.cases.flatMap((one) => (one.cannot_run === null ? [] : [`cannot run ${one.eval_id}: ${one.cannot_run}`])),
    ...plan.warnings.flatMap(warningLines),
  ].map(toSafeLine)
}

/** '' where no run has a skill under test, as in evals of an agent or of code. */
function activationText({ runs, options }: Plan): string {
  return runs.some(({ skill }) => skill !== null) ? ` · ${options.activation} activation` : ''
}

/** The messages of users that a model plays; '' without such users. */
function playedText({ runs }: Plan): string {
  const most = runs.reduce((sum, { user }) => sum + (user === undefined ? 0 : (user.max_turns ?? defaultUserTurns)), 0)
  return most === 0 ? '' : `, at most ${formatPlural(most, 'message')} of a user that a model plays, a call each`
}

/** Other skills and the plugin, by the configuration that has them. */
function otherLines({ runs, candidate_configuration, baseline_configuration }: Plan): string[] {
  return [candidate_configuration, baseline_configuration].flatMap((name) => {
    const { among = [], environment } = runs.find(({ configuration }) => configuration === name) ?? {}
    const plugin = environment?.plugin ? [`the other parts of the plugin ${environment.plugin.name}`] : []
    const parts = [...(among.length > 0 ? [otherSkillsText(among.map((one) => one.name))] : []), ...plugin]
    return parts.length === 0 ? [] : [`          ${name} also has ${parts.join(' and ')}`]
  })
}

const mostNamed = 8

function otherSkillsText(names: readonly string[]): string {
  const more = names.length - mostNamed
  const named = names.slice(0, mostNamed).join(', ')
  return `the ${names.length === 1 ? 'skill' : 'skills'} ${named}${more > 0 ? ` and ${more} more` : ''}`
}

function runsText(plan: Plan, evalId: number): string {
  const arms = [...new Set([plan.candidate_configuration, plan.baseline_configuration])]
  return arms
    .map((arm) => `${plan.runs.filter((run) => run.eval_id === evalId && run.configuration === arm).length} ${arm}`)
    .join(', ')
}

function engineText(choice: EngineChoice): string {
  if (choice.command) return `${choice.name} (${choice.command})`
  const url = choice.base_url ? ` at ${choice.base_url}` : ''
  const where = `${url}${choice.effort ? `, effort ${choice.effort}` : ''}`
  return choice.model ? `${choice.name} (${choice.model})${where}` : `${choice.name}${where}`
}
