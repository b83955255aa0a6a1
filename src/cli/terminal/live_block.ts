/** Builds the lines of the live view: the heading of a plan, and the table that redraws while a benchmark runs. */
import stringWidth from 'string-width'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { detectableText, smallBudgetLines } from '../commands/bench/plan_lines.ts'
import {
  armRate,
  firstWarningLines,
  type Progress,
  type ProgressCell,
  planArms,
  type RunName,
  timeLeft,
  triggerStatus,
} from './progress.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  durationText,
  oneLine,
  percentText,
  terminalHeight,
  terminalWidth,
} from './style.ts'

export interface LiveOptions {
  stream: NodeJS.WriteStream
  concurrency: number
  /** True: no further run starts, so no time left is shown. */
  isStopping?: boolean
}

/** The table's lines, at most the terminal's height. Exported for its test. */
export function liveBlock(state: Progress, options: LiveOptions, now = Date.now()): string[] {
  const { stream } = options
  const { plan, triggers } = state
  if (triggers !== null) return [oneLine(triggerStatus(triggers), terminalWidth(stream) - 1)]
  if (plan === null) return []
  const { bold, dim } = colours(stream)
  const width = terminalWidth(stream)
  const height = terminalHeight(stream)
  const active = activeLines(state, width, now).slice(0, Math.max(1, Math.floor(height / 3)))
  const room = Math.max(3, height - 5 - active.length)
  const blocked = new Set(plan.cannot_run.map(({ eval_id }) => eval_id))
  const rows = plan.cases.map(({ eval_id, eval_name }) => [
    `${eval_id} ${oneLine(eval_name, Math.max(12, Math.floor(width / 3)))}`,
    ...planArms(plan).map((arm) =>
      blocked.has(eval_id) ? 'cannot run' : cellText(state.cells.get(`${eval_id} ${arm}`)),
    ),
  ])
  const shown = rows.slice(0, room)
  const drawn = alignColumns([['case', ...planArms(plan)], ...shown]).map((line) => oneLine(line, width - 1))
  const hidden = rows.length - shown.length
  return [
    bold(oneLine(planHeading(plan), width - 1)),
    dim(drawn[0] ?? ''),
    ...drawn.slice(1),
    ...(hidden > 0 ? [dim(oneLine(`… ${formatPlural(hidden, 'more case')}`, width - 1))] : []),
    ...active.map((line) => dim(line)),
    statusLine(state, options, now),
    ...(state.waiting === null ? [] : [oneLine(waitingText(state.waiting), width - 1)]),
  ].slice(-Math.max(1, height - 1))
}

function cellText(cell: ProgressCell | undefined): string {
  if (cell === undefined) return ''
  const done = '●'.repeat(cell.finished - cell.failed) + '✕'.repeat(cell.failed)
  const open = '◐'.repeat(cell.running) + '·'.repeat(Math.max(0, cell.planned - cell.finished - cell.running))
  const marks = cell.planned <= 12 ? `${done}${open} ` : ''
  const mean = cell.passRates.reduce((sum, rate) => sum + rate, 0) / cell.passRates.length
  const graded = cell.passRates.length
  const base = graded === cell.finished ? '' : ` of ${graded} graded`
  const rate = graded === 0 ? '' : ` ${percentText(mean)}${base}`
  return `${marks}${cell.finished}/${cell.planned}${rate}`
}

/** What each run in progress does, and for how long; the oldest first. */
function activeLines({ active }: Progress, width: number, now: number): string[] {
  const runs = [...active.values()].sort((a, b) => a.since - b.since)
  const steps = runs.map(({ since, doing, doingSince }) => [
    durationText(now - since),
    now - doingSince < 1000 ? doing : `${doing} ${durationText(now - doingSince)}`,
  ])
  const ends = alignColumns(steps, [0])
  const room = Math.max(shortestLabel, width - 3 - Math.max(0, ...ends.map((end) => stringWidth(end))))
  const rows = runs.map(({ run }, index) => [oneLine(`◐ ${runLabel(run, room - 2)}`, room), ends[index] ?? ''])
  return alignColumns(rows).map((line) => oneLine(line, width - 1))
}

const shortestLabel = 12

/** "1 march summary · with_skill · run 2"; the name is shortened for a label of so many columns. */
export function runLabel({ eval_id, eval_name, configuration, run_number }: RunName, width = 500): string {
  const end = ` · ${configuration} · run ${run_number}`
  return `${eval_id} ${oneLine(eval_name, Math.min(40, width - `${eval_id} ${end}`.length))}${end}`
}

/** Runs and times, and what fits between them. */
function statusLine(state: Progress, { stream, concurrency, isStopping }: LiveOptions, now: number): string {
  const { plan } = state
  if (plan === null) return ''
  const rates = planArms(plan).flatMap((arm) => {
    const rate = armRate(state, arm)
    return rate === null ? [] : [`${arm} ${percentText(rate)}`]
  })
  const left = isStopping ? null : timeLeft(state, concurrency, now)
  const about = left === 0 ? 'longer than usual' : `about ${durationText(Math.ceil((left ?? 0) / 1000) * 1000)} left`
  const between = [
    `${state.graded}/${state.total} graded`,
    ...rates,
    ...(state.tokens > 0 ? [`${state.tokens.toLocaleString('en-US')} tokens`] : []),
    ...(state.usd === null ? [] : [dollarsText(state.usd)]),
    ...(state.limit === null ? [] : [`limit ${state.limit}`]),
  ]
  const times = [durationText(now - state.startedAt), ...(left === null ? [] : [about])]
  const line = () => [`${state.finished}/${state.total} runs`, ...between, ...times].join(' · ')
  const width = terminalWidth(stream) - 1
  while (between.length > 0 && stringWidth(line()) > width) between.pop()
  return oneLine(line(), width)
}

/** What everything waits for, and until when. */
export function waitingText({ why, works, until, gives_up_at }: Extract<FlowEvent, { type: 'waiting' }>): string {
  const who = works === 1 ? '1 run or judge waits' : `all ${works} runs and judges wait`
  const when = until === null ? '' : `, until ${until}`
  const end = gives_up_at === null ? '' : `; without progress it ends at ${gives_up_at} (--max-wait)`
  return oneLine(`${who}: ${why}${when}${end}`, 500)
}

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

/** What a user should know before the runs: choices with reasons, cases that can't run, and the loader's warnings. */
export function planPreamble(plan: PlanReady): string[] {
  const { choices, warnings, cannot_run: blocked } = plan
  return [
    ...choices,
    ...detectableLines(plan),
    ...blocked.map(({ eval_id, reason }) => `cannot run ${eval_id}: ${reason}`),
    ...firstWarningLines(warnings),
    ...doneLines(plan),
  ].map((line) => oneLine(line, 500))
}

function doneLines({ folder, runs, done, shared = 0 }: PlanReady): string[] {
  const others = shared === 0 ? [] : [`${shared} of ${runs} runs are those of the comparisons before`]
  return done > shared ? [`continuing in ${folder}: ${done - shared} of ${runs} runs already done`, ...others] : others
}
