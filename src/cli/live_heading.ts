/** What a plan says before its runs: what is benched, and what a user should know of it. */
import type { FlowEvent } from '../../schemas/flow_event.ts'
import { plural } from '../phases/4-report/words.ts'
import { detectableText } from './design_lines.ts'
import { armsOf } from './progress.ts'
import { oneLine } from './style.ts'

type PlanReady = Extract<FlowEvent, { type: 'plan_ready' }>

/** What is benched, and how many runs it takes. */
export function heading(plan: PlanReady): string {
  const engine = plan.model ? `${plan.engine} (${plan.model})` : plan.engine
  const judge = plan.judge ? ` · judge ${plan.judge}` : ''
  const most = plan.first_look === undefined ? '' : 'at most '
  const cases = plan.cases.length - plan.cannot_run.length
  const about = `${plan.skill_name} · ${engine}${judge}`
  if (armsOf(plan).length === 1) return `${about} · ${plural(cases, 'case')}`
  const runs = plural(plan.runs, 'run')
  // a run made anew is one of its case, not all
  if (plan.runs !== 2 * cases * plan.runs_per_case) return `${about} · ${most}${runs}`
  return `${about} · ${plural(cases, 'case')} × 2 arms × ${most}${plan.runs_per_case} = ${most}${runs}`
}

function foreseen({ detectable, runs_per_case: runs, first_look }: PlanReady): string[] {
  if (detectable === undefined) return []
  return [detectableText(detectable, { runs, isMost: first_look !== undefined })]
}

const mostWarnings = 5

/** What a user should know before the runs: who was chosen and why, what can't run, what the loader had to forgive. */
export function preamble(plan: PlanReady): string[] {
  const { choices, warnings, cannot_run: blocked } = plan
  const hidden = warnings.length - mostWarnings
  return [
    ...choices,
    ...foreseen(plan),
    ...blocked.map(({ eval_id, reason }) => `cannot run ${eval_id}: ${reason}`),
    ...warnings.slice(0, mostWarnings).map(({ file, at, message }) => `warning ${file} ${at}: ${message}`),
    ...(hidden > 0 ? [`… ${hidden} more warnings in plan.json`] : []),
    ...(plan.done > 0 ? [`going on in ${plan.folder}: ${plan.done} of ${plan.runs} runs already done`] : []),
  ].map((line) => oneLine(line, 500))
}
