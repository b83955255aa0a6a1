/** Draws a benchmark under way on stderr: a table that redraws on a terminal, plain lines elsewhere. */

import type { FlowEvent } from '../../schemas/flow_event.ts'
import { reusedText } from '../phases/4-report/reused.ts'
import { plural } from '../phases/4-report/words.ts'
import { detectableText } from './design_lines.ts'
import { comparisonAnalyzed, comparisonPlanned, pairJudged } from './live_comparison.ts'
import { draftingText } from './live_drafts.ts'
import { descriptionMeasured, triggerRunText, triggerStatus, triggersPlanned } from './live_triggers.ts'
import { advance, armRate, armsOf, type Cell, noProgress, type Progress, timeLeft } from './progress.ts'
import { awaitedText, lostText } from './queue_wait.ts'
import { colours, columns, dollars, duration, oneLine, percent, safe, textWidth, wrap } from './style.ts'
import { terminalHeight, terminalWidth } from './terminal_size.ts'

export interface Live {
  on: (event: FlowEvent) => void
  say: (line: string) => void
  end: () => void
}

export interface LiveOptions {
  stream: NodeJS.WriteStream
  concurrency: number
}

export function liveView(options: LiveOptions): Live {
  return options.stream.isTTY && process.env.TERM !== 'dumb' ? table(options) : lines(options)
}

function lines({ stream }: LiveOptions): Live {
  let state = noProgress
  const say = (line: string) => stream.write(`${line}\n`)
  return {
    say,
    end: () => {},
    on(event) {
      const before = state.firstPair
      state = advance(state, event)
      const text = lineFor(event, state)
      if (text !== null) say(text)
      if (before === null && state.firstPair !== null) say(safe(`first graded pair: ${state.firstPair}`))
    },
  }
}

function lineFor(event: FlowEvent, state: Progress): string | null {
  const { total } = state
  switch (event.type) {
    case 'plan_ready':
      return [...preamble(event), safe(heading(event))].join('\n')
    case 'run_finished': {
      if (state.triggers !== null) return triggerRunText(event, state.triggers)
      if (event.cached) return null
      const how =
        event.status === 'completed' ? '' : ` ${event.status}${event.message ? `: ${oneLine(event.message, 200)}` : ''}`
      return `[${state.finished}/${total}] ${runLabel(event)}${how} ${duration(event.duration_ms)}`
    }
    case 'grade_finished':
      return event.cached
        ? null
        : `graded${event.again === undefined ? '' : ` again (${event.again})`} ${runLabel(event)}: ${event.passed}/${event.total}${event.judge_errors ? `, ${plural(event.judge_errors, 'judge error')}` : ''}`
    case 'run_retried':
      return `retry ${runLabel(event)} in ${duration(event.wait_ms)}: ${event.kind}: ${oneLine(event.message, 200)}`
    case 'runs_reused':
      return reusedText({ ...event, agent_usd: null }, event.planned)
    case 'queue_awaited':
      return awaitedText(event)
    case 'queue_unmet':
      return oneLine(`${event.message}; ${event.fix}`, 500)
    case 'queue_met':
      return 'a worker takes the runs'
    case 'queue_silent':
      return oneLine(
        `the queue server at ${event.place} does not answer; it is waited for, Ctrl-C ends this and keeps what is finished`,
        500,
      )
    case 'queue_answers':
      return oneLine(`the queue server at ${event.place} answers again`, 500)
    case 'queue_lost':
      return lostText(event)
    case 'limit_changed':
      return `limit ${event.limit} at once: ${event.reason}`
    case 'looked':
      return oneLine(lookText(event), 500)
    case 'budget_reached':
      return oneLine(`${event.reason}; no further run is started`, 500)
    case 'artefact_damaged':
      return damaged(event)
    case 'place_passed_over':
      return oneLine(`passed over ${event.place}: ${event.reason}`, 500)
    case 'skill_failed':
      return failure(event)
    case 'last_failed':
      return lastFailed(event)
    case 'comparison_planned':
      return comparisonPlanned(event)
    case 'pair_judged':
      return pairJudged(event)
    case 'comparison_analyzed':
      return comparisonAnalyzed(event)
    case 'improve_step':
      return wrap(
        oneLine(`${event.iteration > 0 ? `iteration ${event.iteration}: ` : ''}${event.message}`, 1000),
        textWidth(process.stderr),
      ).join('\n')
    case 'drafting':
      return oneLine(draftingText(event), 500)
    case 'triggers_planned':
      return triggersPlanned(event).join('\n')
    case 'description_measured':
      return descriptionMeasured(event)
    case 'triggers_written':
    case 'run_started':
    case 'benchmark_written':
      return null
  }
}

function runLabel(run: { eval_id: number; eval_name: string; configuration: string; run_number: number }): string {
  return `${run.eval_id} ${oneLine(run.eval_name, 40)} · ${run.configuration} · run ${run.run_number}`
}

/** What is said of a benchmark while its table stays. */
const overTheTable: ReadonlySet<string> = new Set([
  'looked',
  'queue_unmet',
  'queue_met',
  'queue_silent',
  'queue_answers',
])

/** What is said of a benchmark outside its own table. */
function aboveTheTable(event: FlowEvent): string | null {
  return above.has(event.type) ? lineFor(event, noProgress) : null
}

/** The numbers of the look, and whether it goes on. */
function lookText({ blocks, wins, losses, pairs, e_value, status, reason }: Extract<FlowEvent, { type: 'looked' }>) {
  const ties = pairs - wins - losses
  const evidence = e_value >= 1000 ? '> 1000' : e_value.toPrecision(3)
  const seen = `${wins} pairs won, ${losses} lost, ${ties} even; e-value ${evidence}`
  return `look after ${blocks} ${blocks === 1 ? 'block' : 'blocks'}: ${seen}${status === 'open' ? '' : `; ${reason}`}`
}

const above: ReadonlySet<string> = new Set([
  'place_passed_over',
  'skill_failed',
  'budget_reached',
  'queue_awaited',
  'queue_lost',
  'last_failed',
  'artefact_damaged',
  'comparison_planned',
  'pair_judged',
  'comparison_analyzed',
  'triggers_planned',
  'description_measured',
  'improve_step',
  'drafting',
])

function damaged({ message, mended }: Extract<FlowEvent, { type: 'artefact_damaged' }>): string {
  return oneLine(`damaged ${message}: ${mended}`, 500)
}

function failure({ skill, cell, message, fix }: Extract<FlowEvent, { type: 'skill_failed' }>): string {
  const what = [skill, cell].filter((name) => name !== undefined).join(' · ')
  return oneLine(`error ${what}: ${message}${fix === null ? '' : ` (${fix})`}`, 500)
}

function lastFailed({ benchmark, cases }: Extract<FlowEvent, { type: 'last_failed' }>): string {
  if (cases.length === 0) return oneLine(`no case failed in ${benchmark}`, 500)
  const lines = cases.map(({ eval_id, eval_name, reason }) => `  ${eval_id} ${eval_name}: ${reason}`)
  return [`last failed, of ${benchmark}:`, ...lines].map((line) => oneLine(line, 500)).join('\n')
}

type PlanReady = Extract<FlowEvent, { type: 'plan_ready' }>

function heading(plan: PlanReady): string {
  const engine = plan.model ? `${plan.engine} (${plan.model})` : plan.engine
  const judge = plan.judge ? ` · judge ${plan.judge}` : ''
  const most = plan.first_look === undefined ? '' : 'at most '
  const cases = plan.cases.length - plan.cannot_run.length
  if (armsOf(plan).length === 1)
    return `${plan.skill_name} · ${engine}${judge} · ${cases} ${cases === 1 ? 'case' : 'cases'}`
  return `${plan.skill_name} · ${engine}${judge} · ${cases} cases × 2 arms × ${most}${plan.runs_per_case} = ${most}${plan.runs} runs`
}

function foreseen({ detectable, runs_per_case: runs, first_look }: PlanReady): string[] {
  if (detectable === undefined) return []
  return [detectableText(detectable, { runs, isMost: first_look !== undefined })]
}

const mostWarnings = 5

/** What a user should know before the runs: who was chosen and why, what can't run, what the loader had to forgive. */
function preamble(plan: PlanReady): string[] {
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

function table({ stream, concurrency }: LiveOptions): Live {
  const view = { state: noProgress, height: 0, dirty: false }
  const erase = () => {
    if (view.height > 0) stream.write(`\x1b[${view.height}A\x1b[0J`)
    view.height = 0
  }
  const draw = () => {
    const text = block(view.state, { stream, concurrency })
    erase()
    stream.write(text.map((line) => `${line}\n`).join(''))
    view.height = text.length
    view.dirty = false
  }
  const say = (line: string) => {
    erase()
    stream.write(`${line}\n`)
    draw()
  }
  /** What was drawn stays above; the next benchmark gets a block of its own. */
  const leaveBlock = () => {
    if (isUnderWay(view.state)) draw()
    view.state = noProgress
    view.height = 0
  }
  const timer = setInterval(() => {
    if (view.dirty) draw()
  }, 100)
  timer.unref()
  return {
    on(event) {
      if (overTheTable.has(event.type)) say(lineFor(event, view.state) ?? '')
      const line = aboveTheTable(event)
      if (line !== null || event.type === 'plan_ready') leaveBlock()
      view.state = advance(view.state, event)
      view.dirty = isUnderWay(view.state)
      if (line !== null) stream.write(`${line}\n`)
      if (event.type === 'plan_ready')
        stream.write(
          preamble(event)
            .map((line) => `${line}\n`)
            .join(''),
        )
    },
    say,
    end() {
      clearInterval(timer)
      if (isUnderWay(view.state)) draw()
      view.height = 0
    },
  }
}

function isUnderWay({ plan, triggers }: Progress): boolean {
  return plan !== null || triggers !== null
}

/** The lines of the table, no taller than the terminal. Exported for its test. */
export function block(state: Progress, { stream, concurrency }: LiveOptions): string[] {
  const { plan, triggers } = state
  if (triggers !== null) return [oneLine(triggerStatus(triggers), terminalWidth(stream) - 1)]
  if (plan === null) return []
  const { bold, dim } = colours(stream)
  const width = terminalWidth(stream)
  const room = Math.max(3, terminalHeight(stream) - 6)
  const rows = plan.cases.map(({ eval_id, eval_name }) => [
    `${eval_id} ${oneLine(eval_name, Math.max(12, Math.floor(width / 3)))}`,
    ...armsOf(plan).map((arm) => cellText(state.cells.get(`${eval_id} ${arm}`))),
  ])
  const shown = rows.slice(0, room)
  const drawn = columns([['case', ...armsOf(plan)], ...shown]).map((line) => oneLine(line, width - 1))
  const hidden = rows.length - shown.length
  return [
    bold(oneLine(heading(plan), width - 1)),
    dim(drawn[0] ?? ''),
    ...drawn.slice(1),
    ...(hidden > 0 ? [dim(oneLine(`… ${hidden} more cases`, width - 1))] : []),
    oneLine(statusLine(state, concurrency), width - 1),
    ...(state.firstPair === null ? [] : [dim(oneLine(`first graded pair: ${state.firstPair}`, width - 1))]),
  ]
}

function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return ''
  const done = '●'.repeat(cell.finished - cell.failed) + '✕'.repeat(cell.failed)
  const open = '◐'.repeat(cell.running) + '·'.repeat(Math.max(0, cell.planned - cell.finished - cell.running))
  const marks = cell.planned <= 12 ? `${done}${open} ` : ''
  const mean = cell.passRates.reduce((sum, rate) => sum + rate, 0) / cell.passRates.length
  const rate = cell.passRates.length === 0 ? '' : ` ${percent(mean)}`
  return `${marks}${cell.finished}/${cell.planned}${rate}`
}

function statusLine(state: Progress, concurrency: number): string {
  const { plan } = state
  if (plan === null) return ''
  const rates = armsOf(plan).flatMap((arm) => {
    const rate = armRate(state, arm)
    return rate === null ? [] : [`${arm} ${percent(rate)}`]
  })
  const left = timeLeft(state, concurrency)
  return [
    `${state.finished}/${state.total} runs`,
    `${state.graded} graded`,
    ...rates,
    ...(state.tokens > 0 ? [`${state.tokens.toLocaleString('en-US')} tokens`] : []),
    ...(state.usd === null ? [] : [dollars(state.usd)]),
    ...(state.limit === null ? [] : [`limit ${state.limit}`]),
    ...(left === null || left <= 0 ? [] : [`about ${duration(left)} left`]),
  ].join(' · ')
}
