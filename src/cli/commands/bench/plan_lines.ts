/** Formats a plan for --dry-run: what would run, on what, how many calls, the difference that it can detect, and the loader's warnings. */
import { defaultUserTurns } from '../../../../schemas/conversation.ts'
import type { EngineChoice, Plan } from '../../../../schemas/plan.ts'
import { describeSimilarCases, formatVariedCases } from '../../../base/smallest_design.ts'
import type { CommandReview } from '../../../flows/authorize/suite_commands.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { DetectableDifference } from '../../../flows/estimate/estimate_bench.ts'
import type { PreparedBench } from '../../../flows/prepare/prepare_bench.ts'
import { fewestUntilRuns } from '../../../phases/4-report/stats/power/look_schedule.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { warningLines } from '../../print_error.ts'
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
    ...[plan.candidate_configuration, plan.baseline_configuration].flatMap((name) => {
      const { among = [], environment } = plan.runs.find(({ configuration }) => configuration === name) ?? {}
      const plugin = environment?.plugin ? [`the other parts of the plugin ${environment.plugin.name}`] : []
      const parts = [...(among.length > 0 ? [otherSkillsText(among.map((one) => one.name))] : []), ...plugin]
      return parts.length === 0 ? [] : [`          ${name} also has ${parts.join(' and ')}`]
    }),
    `suite     ${plan.suite.path} (${plan.suite.format})`,
    `engine    ${formatEngine(options.engine)}${activationText(plan)}`,
    `judge     ${options.judge === null ? 'none needed' : formatEngine(options.judge)}`,
    ...(options.user === undefined ? [] : [`user      ${formatEngine(options.user)}`]),
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

/** "claude-code (sonnet) at https://…, effort high" */
export function formatEngine({ name, model, command, base_url: url, effort }: EngineChoice): string {
  const where = `${url ? ` at ${url}` : ''}${effort ? `, effort ${effort}` : ''}`
  const what = command ?? model
  return what ? `${name} (${what})${where}` : `${name}${where}`
}

interface Size {
  /** Per case and arm. */
  runs: number
  /** They are the maximum. */
  isMost: boolean
}

/** "3 runs of 12 cases detect a difference of 31 points or more on these cases (80% power), of 46 points or more on similar cases". */
export function detectableText(of: DetectableDifference, size: Size): string {
  const { power, cases, these_cases: own, fewest_runs: fewest = 1, similar_cases: like } = of
  if (cases === 0) return 'no difference: no case has a criterion'
  const runs = `${size.isMost ? 'at most ' : ''}${formatPlural(size.runs, 'run')} of ${formatPlural(cases, 'case')}`
  const detect = size.runs === 1 ? 'detects' : 'detect'
  if (size.runs < fewest) {
    const others = like === undefined ? '' : `, for similar cases ${describeSimilarCases(like)}`
    return `${runs} can't be significant, even if all agree: at least ${fewest} runs per case and configuration are needed${others}`
  }
  const these =
    own >= 1
      ? `may detect no difference on these cases`
      : `${detect} a difference of ${points(own)} on these cases (${powerText(power)})`
  return `${runs} ${these}${similarText(of)}`
}

/** With --until: that the budget is too small for adaptive stopping, and what to use. */
export function smallBudgetLines({ cases, fewest_runs: fewest = 1 }: DetectableDifference, size: Size): string[] {
  const advised = fewestUntilRuns(Math.max(1, cases))
  if (!size.isMost || size.runs < fewest || size.runs >= advised) return []
  const instead = `use --max-runs ${advised} or more, or --runs ${size.runs}`
  return [
    `--until decided with at most ${formatPlural(size.runs, 'run')} per case saves little and finds less: ${instead}`,
  ]
}

type Design = Pick<EstimatedPlan, 'detectable' | 'needed'> & {
  plan: { options: Pick<Plan['options'], 'runs' | 'until'> }
}

export function designLines({ plan, detectable, needed }: Design): string[] {
  const { runs, until } = plan.options
  const { cases, power } = detectable
  const size = { runs, isMost: until !== undefined }
  const small = smallBudgetLines(detectable, size).map((line) => `note      ${line}`)
  const lines = [`detects   ${detectableText(detectable, size)}`, ...small]
  if (needed === null || cases === 0) return lines
  const which = cases === 1 ? 'this case' : `each of these ${cases} cases`
  const most = size.isMost ? 'at most ' : ''
  const these = `${most}${formatPlural(needed.runs, 'run')} of ${which} per configuration`
  const others =
    needed.cases === null
      ? ''
      : `; for similar cases ${formatPlural(needed.cases, 'case')} with ${most}${formatPlural(runs, 'run')}`
  return [...lines, `needed    for ${askedRate(needed.detect)}: ${these}${others} (${powerText(power)})`]
}

function similarText({ cases, cases_like_these: sample, similar_cases: size }: DetectableDifference): string {
  if (sample !== null) return sample >= 1 ? ', maybe none on similar cases' : `, of ${points(sample)} on similar cases`
  if (size === undefined) return ', without a verdict on similar cases'
  if (cases < size.uniform) return `; for similar cases you need ${describeSimilarCases(size)}`
  return `; on similar cases only a large difference that is the same in every case, with ${formatVariedCases(size)} cases also one that varies`
}

/** "80% power" */
function powerText(power: number): string {
  return `${Number((100 * power).toFixed(1))}% power`
}

function askedRate(rate: number): string {
  const percent = Number((rate * 100).toFixed(2))
  return `a difference of ${percent} ${percent === 1 ? 'point' : 'points'}`
}

/** Rounded up to the next whole point, so that it is surely detected. */
function points(rate: number): string {
  return `${formatPlural(Math.ceil(rate * 100 - 1e-9), 'point')} or more`
}
