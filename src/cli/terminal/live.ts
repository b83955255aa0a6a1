/** Draws a running benchmark on stderr: a table that redraws on a terminal, plain lines elsewhere. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { reusedText } from '../../phases/4-report/benchmark/cached_runs.ts'
import { driftTestText, olderRunsText } from '../../phases/4-report/benchmark/older_runs/older_runs_text.ts'
import { rankLookText } from '../../phases/4-report/index/rank_text.ts'
import { formatPercent, formatPlural } from '../../phases/4-report/text/format.ts'
import { awaitedText, lostText, silentText } from '../commands/queue/server_messages.ts'
import { errorLines } from '../error_lines.ts'
import { commandLines } from './command_lines.ts'
import { type LiveOptions, liveBlock } from './live_block.ts'
import { comparisonAnalyzedText, comparisonPlannedText, pairJudgedText } from './live_comparison.ts'
import { planHeading, planPreamble } from './live_heading.ts'
import { triggerRunText, triggersText } from './live_triggers.ts'
import { waitingText } from './live_waiting.ts'
import { advanceProgress, noProgress, type Progress } from './progress.ts'
import { durationText, oneLine, textWidth, toSafeLine, wrapText } from './style.ts'

export interface LiveView {
  on: (event: FlowEvent) => void
  say: (line: string) => void
  end: () => void
}

export function liveView(options: LiveOptions): LiveView {
  return options.stream.isTTY && process.env.TERM !== 'dumb' ? table(options) : lines(options)
}

function lines({ stream }: LiveOptions): LiveView {
  let state = noProgress
  const say = (line: string) => stream.write(`${line}\n`)
  return {
    say,
    end: () => {},
    on(event) {
      const before = state.firstPair
      state = advanceProgress(state, event)
      const text = eventLine(event, state)
      if (text !== null) say(text)
      if (before === null && state.firstPair !== null) say(toSafeLine(`first graded pair: ${state.firstPair}`))
    },
  }
}

function eventLine(event: FlowEvent, state: Progress): string | null {
  switch (event.type) {
    case 'plan_ready':
      return [...planPreamble(event), toSafeLine(planHeading(event))].join('\n')
    case 'suite_commands':
      return commandLines(event.commands, event.confined).join('\n')
    case 'run_finished':
      return runFinishedText(event, state)
    case 'grade_finished':
      return event.cached ? null : gradedText(event)
    case 'run_retried':
      return `retry ${runLabel(event)} in ${durationText(event.wait_ms)}: ${event.kind}: ${oneLine(event.message, 200)}`
    case 'runs_reused':
      return reusedText({ ...event, agent_usd: null }, event.planned)
    case 'older_runs':
    case 'drift_tested':
      return olderRunsLine(event)
    case 'queue_awaited':
      return awaitedText(event)
    case 'queue_unmet':
      return oneLine(`${event.message}; ${event.fix}`, 500)
    case 'queue_met':
      return 'a worker takes the runs'
    case 'queue_silent':
    case 'queue_answers':
      return event.type === 'queue_silent' ? silentText(event) : answersText(event)
    case 'queue_lost':
      return lostText(event)
    case 'waiting':
      return waitingText(event)
    case 'judge_batch':
    case 'limit_changed':
      return limitText(event)
    case 'looked':
    case 'rank_look':
      return oneLine(event.type === 'looked' ? interimLookText(event) : rankLookText(event), 500)
    case 'budget_reached':
      return oneLine(`${event.reason}; no further run is started`, 500)
    case 'artefact_damaged':
    case 'shared_cache_trouble':
    case 'foreign_results':
      return troubleText(event)
    case 'changes_found':
      return oneLine(event.message, 500)
    case 'place_passed_over':
      return oneLine(`ignored ${event.place}: ${event.reason}`, 500)
    case 'skill_failed':
      return failure(event)
    case 'last_failed':
      return lastFailed(event)
    case 'comparison_planned':
      return comparisonPlannedText(event)
    case 'pair_judged':
      return pairJudgedText(event)
    case 'comparison_analyzed':
      return comparisonAnalyzedText(event)
    case 'improve_step':
      return improveText(event)
    case 'reading_sessions':
    case 'drafting':
    case 'task_tried':
      return oneLine(event.type === 'task_tried' ? triedText(event) : draftingText(event), 500)
    case 'triggers_planned':
    case 'trigger_round':
    case 'description_measured':
      return triggersText(event)
    case 'waiting_ended':
    case 'triggers_written':
    case 'run_started':
    case 'benchmark_written':
      return null
  }
}

function gradedText(event: Extract<FlowEvent, { type: 'grade_finished' }>): string {
  return `graded${event.again === undefined ? '' : ` again (${event.again})`} ${runLabel(event)}: ${event.passed}/${event.total}${describeShare(event)}${event.judge_errors ? `, ${formatPlural(event.judge_errors, 'judge error')}` : ''}`
}

function runFinishedText(event: Extract<FlowEvent, { type: 'run_finished' }>, state: Progress): string | null {
  if (state.triggers !== null) return triggerRunText(event, state.triggers)
  if (event.cached) return null
  const how =
    event.status === 'completed' ? '' : ` ${event.status}${event.message ? `: ${oneLine(event.message, 200)}` : ''}`
  return `[${state.finished}/${state.total}] ${runLabel(event)}${how} ${durationText(event.duration_ms)}`
}

function olderRunsLine(event: Extract<FlowEvent, { type: 'older_runs' | 'drift_tested' }>): string {
  return oneLine(event.type === 'older_runs' ? olderRunsText(event) : driftTestText(event), 500)
}

function improveText({ step, round, message }: Extract<FlowEvent, { type: 'improve_step' }>): string | null {
  if (step === 'stopped' || step === 'certified') return null // the result reports it
  const text = oneLine(`${round > 0 ? `round ${round}: ` : ''}${message}`, 1000)
  return wrapText(text, textWidth(process.stderr)).join('\n')
}

function limitText(event: Extract<FlowEvent, { type: 'judge_batch' | 'limit_changed' }>): string {
  if (event.type === 'limit_changed') return `limit ${event.limit} at once: ${event.reason}`
  const { batch, done, total, ended } = event
  const what = `batch ${oneLine(batch, 80)} of the judge: ${done} of ${total}`
  return ended ? `${what}, ended` : `waiting for ${what}; Ctrl-C ends the wait, and the same command continues it`
}

/** The pass rate, where weights or scores make it another than the counts. */
function describeShare({ passed, total, pass_rate }: Extract<FlowEvent, { type: 'grade_finished' }>): string {
  const isPlain = pass_rate === null || Math.abs(pass_rate * total - passed) < 1e-6
  return isPlain ? '' : ` (${formatPercent(pass_rate)})`
}

function runLabel(run: { eval_id: number; eval_name: string; configuration: string; run_number: number }): string {
  return `${run.eval_id} ${oneLine(run.eval_name, 40)} · ${run.configuration} · run ${run.run_number}`
}

/** Events printed as lines while the table stays. */
const tableKeepingEvents: ReadonlySet<string> = new Set([
  'looked',
  'older_runs',
  'drift_tested',
  'queue_unmet',
  'queue_met',
  'queue_silent',
  'queue_answers',
])

/** Messages outside the benchmark's table. */
function tableNote(event: FlowEvent): string | null {
  return plainLineEvents.has(event.type) ? eventLine(event, noProgress) : null
}

/** The numbers of an interim analysis, and whether the benchmark continues. */
function interimLookText({
  blocks,
  wins,
  losses,
  pairs,
  predictive_power: power,
  status,
  reason,
}: Extract<FlowEvent, { type: 'looked' }>) {
  const ties = pairs - wins - losses
  const seen = `${wins} pairs won, ${losses} lost, ${ties} even`
  const outlook = power === undefined || power === null ? '' : `; predictive power ${formatPercent(power)}`
  const end = status === 'open' ? outlook : `; ${reason}`
  return `interim analysis after ${formatPlural(blocks, 'block')}: ${seen}${end}`
}

const plainLineEvents: ReadonlySet<string> = new Set([
  'suite_commands',
  'changes_found',
  'place_passed_over',
  'skill_failed',
  'budget_reached',
  'queue_awaited',
  'queue_lost',
  'last_failed',
  'artefact_damaged',
  'shared_cache_trouble',
  'foreign_results',
  'comparison_planned',
  'pair_judged',
  'comparison_analyzed',
  'triggers_planned',
  'trigger_round',
  'rank_look',
  'description_measured',
  'improve_step',
  'drafting',
  'reading_sessions',
  'task_tried',
])

function draftingText(event: Extract<FlowEvent, { type: 'drafting' | 'reading_sessions' }>): string {
  if (event.type === 'reading_sessions') return `reading sessions: ${event.done} of ${event.total} files`
  const { skill_name, by, made, wanted, left_out } = event
  const lost = left_out === 0 ? '' : `, ${left_out} could not be used`
  return made === 0 && left_out === 0
    ? `${skill_name}: ${by} is asked to draft ${wanted} cases`
    : `${skill_name}: ${made} of ${wanted} cases drafted${lost}`
}

function triedText({ name, tried, wanted, sound, reason }: Extract<FlowEvent, { type: 'task_tried' }>): string {
  return `[${tried}/${wanted}] ${name}: ${sound ? 'sound' : `not sound: ${reason}`}`
}

function answersText({ place }: { place: string }): string {
  return oneLine(`the queue server at ${place} answers again`, 500)
}

type Trouble = Extract<FlowEvent, { type: 'artefact_damaged' | 'shared_cache_trouble' | 'foreign_results' }>

function troubleText(event: Trouble): string {
  const { message } = event
  if (event.type === 'artefact_damaged') return oneLine(`damaged ${message}: ${event.mended}`, 500)
  const what = event.type === 'shared_cache_trouble' ? 'shared cache ' : ''
  return oneLine(`${what}${event.place}: ${message}`, 500)
}

function failure({ skill, cell, message, fix }: Extract<FlowEvent, { type: 'skill_failed' }>): string {
  const what = [skill, cell].filter((name) => name !== undefined).join(' · ')
  return errorLines(`${what}: ${message}`, fix)
    .map((line) => oneLine(line, 500))
    .join('\n')
}

function lastFailed({ benchmark, cases }: Extract<FlowEvent, { type: 'last_failed' }>): string {
  if (cases.length === 0) return oneLine(`no case failed in ${benchmark}`, 500)
  const lines = cases.map(({ eval_id, eval_name, reason }) => `  ${eval_id} ${eval_name}: ${reason}`)
  return [`last failed, of ${benchmark}:`, ...lines].map((line) => oneLine(line, 500)).join('\n')
}

function table({ stream, concurrency }: LiveOptions): LiveView {
  const view = { state: noProgress, height: 0, dirty: false }
  /** in one write, so that the terminal never shows the gap */
  const draw = (above = '') => {
    const text = liveBlock(view.state, { stream, concurrency })
    // line by line: some terminals keep a copy of what is erased as a whole screen
    const erasure = view.height > 0 ? `\r\x1b[2K${'\x1b[A\x1b[2K'.repeat(view.height)}` : ''
    stream.write(erasure + above + text.map((line) => `${line}\n`).join(''))
    view.height = text.length
    view.dirty = false
  }
  const say = (line: string) => draw(`${line}\n`)
  /** keeps the drawn lines; the next benchmark gets a new block */
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
      // a benchmark's table has a line for it
      if (event.type === 'waiting' && view.state.plan === null) say(waitingText(event))
      if (tableKeepingEvents.has(event.type)) say(eventLine(event, view.state) ?? '')
      const line = tableNote(event)
      if (line !== null || event.type === 'plan_ready') leaveBlock()
      view.state = advanceProgress(view.state, event)
      view.dirty = isUnderWay(view.state)
      if (line !== null) stream.write(`${line}\n`)
      if (event.type === 'plan_ready')
        stream.write(
          planPreamble(event)
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
