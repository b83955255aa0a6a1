/** Describes a plan before its runs: what is benchmarked, and what a user should know. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { detectableText, smallBudgetLines } from '../commands/bench/design_lines.ts'
import { warningLines } from '../error_lines.ts'
import { planArms } from './progress.ts'
import { oneLine } from './style.ts'

type PlanReady = Extract<FlowEvent, { type: 'plan_ready' }>

/** What is benchmarked, and how many runs it takes. */
export function planHeading(plan: PlanReady): string {
  const engine = plan.model ? `${plan.engine} (${plan.model})` : plan.engine
  const judge = plan.judge ? ` · judge ${plan.judge}` : ''
  const most = plan.first_look === undefined ? '' : 'at most '
  const cases = plan.cases.length - plan.cannot_run.length
  const about = `${plan.skill_name} · ${engine}${judge}`
  if (planArms(plan).length === 1) return `${about} · ${formatPlural(cases, 'case')}`
  const runs = formatPlural(plan.runs, 'run')
  // a rerun is a single run of its case
  if (plan.runs !== 2 * cases * plan.runs_per_case) return `${about} · ${most}${runs}`
  return `${about} · ${formatPlural(cases, 'case')} × 2 configurations × ${most}${plan.runs_per_case} = ${most}${runs}`
}

function detectableLines({ detectable, runs_per_case: runs, first_look }: PlanReady): string[] {
  if (detectable === undefined) return []
  const size = { runs, isMost: first_look !== undefined }
  return [detectableText(detectable, size), ...smallBudgetLines(detectable, size)]
}

const mostWarnings = 5

/** What a user should know before the runs: choices with reasons, cases that can't run, and the loader's warnings. */
export function planPreamble(plan: PlanReady): string[] {
  const { choices, warnings, cannot_run: blocked } = plan
  const hidden = warnings.length - mostWarnings
  return [
    ...choices,
    ...detectableLines(plan),
    ...blocked.map(({ eval_id, reason }) => `cannot run ${eval_id}: ${reason}`),
    ...warnings.slice(0, mostWarnings).flatMap(warningLines),
    ...(hidden > 0 ? [`… ${hidden} more warnings in plan.json`] : []),
    ...doneLines(plan),
  ].map((line) => oneLine(line, 500))
}

function doneLines({ folder, runs, done, shared = 0 }: PlanReady): string[] {
  const others = shared === 0 ? [] : [`${shared} of ${runs} runs are those of the comparisons before`]
  return done > shared ? [`continuing in ${folder}: ${done - shared} of ${runs} runs already done`, ...others] : others
}
