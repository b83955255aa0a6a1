/** Draws a running benchmark on stderr: a table that redraws on a terminal, plain lines elsewhere. */
import stringWidth from 'string-width'
import type * as z from 'zod'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { rankLook } from '../../../schemas/rank.ts'
import { driftTestText, olderRunsText } from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import { reusedText } from '../../phases/4-report/benchmark/provenance.ts'
import { formatPercent, formatPlural, joinNames } from '../../phases/4-report/text/format.ts'
import { errorLines } from '../print_error.ts'
import { commandLines } from './command_lines.ts'
import { comparisonAnalyzedText, comparisonPlannedText, pairJudgedText } from './comparison_lines.ts'
import { type LiveOptions, liveBlock, planHeading, planPreamble, runLabel, waitingText } from './live_block.ts'
import {
  advanceProgress,
  noProgress,
  type Progress,
  triggerRoundText,
  triggerRunText,
  triggersPlannedText,
  withoutEnded,
} from './progress.ts'
import { colours, durationText, oneLine, shortLines, terminalWidth, textWidth, toSafeLine, wrapText } from './style.ts'

export interface LiveView {
  on: (event: FlowEvent) => void
  /** Says what happens after Ctrl-C. */
  sayStopping: (line: string) => void
  /** Nothing is drawn while the user answers. */
  pause: <T>(ask: () => Promise<T>) => Promise<T>
  end: () => void
}

export function liveView(options: LiveOptions): LiveView {
  return options.stream.isTTY && process.env.TERM !== 'dumb' ? table(options) : lines(options)
}

function lines({ stream }: LiveOptions): LiveView {
  let state = noProgress
  const say = (line: string) => stream.write(`${line}\n`)
  /** Runs without a grade. */
  const sayEnded = () => {
    for (const run of state.ended.values()) {
      state = withoutEnded(state, run.run_id)
      say(runText(run, state))
    }
  }
  return {
    sayStopping: say,
    pause: (ask) => ask(),
    end: sayEnded,
    on(event) {
      if (event.type === 'plan_ready') sayEnded()
      // a run has one line, with its grade
      const run = event.type === 'grade_finished' ? state.ended.get(event.run_id) : undefined
      state = advanceProgress(state, event)
      if (run !== undefined && event.type === 'grade_finished') return void say(runText(run, state, event))
      const shown = readEvent(event, state)
      if (shown !== null) say(shown.text)
    },
  }
}

type EventOf<T extends FlowEvent['type']> = Extract<FlowEvent, { type: T }>

interface EventText<T extends FlowEvent['type']> {
  /** null: this event has no line. */
  text: (event: EventOf<T>, state: Progress) => string | null
  /** Where a table redraws: above it, or after it, which ends it; table: only the table shows the event. */
  place: 'above' | 'after' | 'table'
}

const inTable = <T extends FlowEvent['type']>(text: EventText<T>['text']): EventText<T> => ({ text, place: 'table' })
const above = <T extends FlowEvent['type']>(text: EventText<T>['text']): EventText<T> => ({ text, place: 'above' })
const after = <T extends FlowEvent['type']>(text: EventText<T>['text']): EventText<T> => ({ text, place: 'after' })
const short = (text: string) => oneLine(text, 500)

/** null: nothing is printed. */
const eventTexts: { [T in FlowEvent['type']]: EventText<T> | null } = {
  plan_ready: inTable((event) => [...planPreamble(event), toSafeLine(planHeading(event))].join('\n')),
  suite_commands: after((event) => commandLines(event.commands, event.confined).join('\n')),
  run_started: null,
  run_step: null,
  run_finished: inTable(runFinishedText),
  grade_finished: inTable((event) => (event.cached ? null : gradedText(event))),
  run_retried: inTable(
    (event) =>
      `retry ${runLabel(event)} in ${durationText(event.wait_ms)}: ${event.kind}: ${oneLine(event.message, 200)}`,
  ),
  runs_reused: inTable((event) => reusedText({ ...event, agent_usd: null }, event.planned)),
  older_runs: above((event) => short(olderRunsText(event))),
  drift_tested: above((event) => short(driftTestText(event))),
  queue_awaited: after(awaitedServerText),
  queue_unmet: above(({ message, fix }) => short(`${message}; ${fix}`)),
  queue_met: above(() => 'a worker takes the runs'),
  queue_silent: above(({ place }) =>
    short(
      `the queue server at ${place} does not answer; Whetstone waits for it until --max-wait; Ctrl-C stops and keeps what is finished`,
    ),
  ),
  queue_answers: above(({ place }) => short(`the queue server at ${place} answers again`)),
  queue_lost: after(({ place, jobs }) => {
    const what = jobs === 1 ? '1 run in progress; it was' : `${jobs} runs in progress; they were`
    return short(`the queue server at ${place} has lost ${what} submitted again`)
  }),
  waiting: inTable(waitingText),
  waiting_ended: null,
  judge_batch: inTable(judgeBatchText),
  limit_changed: inTable(({ limit, reason }) => `limit ${limit} at once: ${reason}`),
  looked: above((event) => short(interimLookText(event))),
  rank_look: after((event) => short(rankLookText(event))),
  budget_reached: after(({ reason }) => short(`${reason}; no further run is started`)),
  artefact_damaged: after(({ message, mended }) => short(`damaged ${message}: ${mended}`)),
  shared_cache_trouble: after(({ place, message }) => short(`shared cache ${place}: ${message}`)),
  foreign_results: after(({ place, message }) => short(`${place}: ${message}`)),
  changes_found: after(({ message }) => short(message)),
  place_passed_over: after(({ place, reason }) => short(`ignored ${place}: ${reason}`)),
  skill_failed: after(failure),
  last_failed: after(lastFailed),
  comparison_planned: after(comparisonPlannedText),
  pair_judged: after(pairJudgedText),
  comparison_analyzed: after(comparisonAnalyzedText),
  improve_step: after(improveText),
  reading_sessions: after(({ done, total }) => `reading sessions: ${done} of ${total} files`),
  drafting: after((event) => short(draftingText(event))),
  task_tried: after(({ name, tried, wanted, sound, reason }) =>
    short(`[${tried}/${wanted}] ${name}: ${sound ? 'sound' : `not sound: ${reason}`}`),
  ),
  triggers_planned: after(triggersPlannedText),
  trigger_round: after(triggerRoundText),
  triggers_written: null,
  benchmark_written: null,
}

/** The event's text and its place; null: nothing is printed. */
function readEvent<T extends FlowEvent['type']>(event: EventOf<T> & { type: T }, state: Progress) {
  const shown: EventText<T> | null = eventTexts[event.type]
  const text = shown?.text(event, state) ?? null
  return shown === null || text === null ? null : { text, place: shown.place }
}

/** `message`: the connection error. */
export function awaitedServerText({
  place,
  message,
  wait_ms,
}: Pick<EventOf<'queue_awaited'>, 'place' | 'message' | 'wait_ms'>): string {
  return short(`waiting up to ${durationText(wait_ms)} for the queue server at ${place}: ${message}`)
}

function gradedText(event: EventOf<'grade_finished'>): string {
  return `graded${event.again === undefined ? '' : ` again (${event.again})`} ${runLabel(event)}: ${scoreText(event)}`
}

/** "3/5", "3/4, 1 judge error"; with the pass rate, where weights or scores make it another than the counts. */
function scoreText({ passed, total, pass_rate, judge_errors }: EventOf<'grade_finished'>): string {
  const isPlain = pass_rate === null || Math.abs(pass_rate * total - passed) < 1e-6
  const errors = judge_errors ? `, ${formatPlural(judge_errors, 'judge error')}` : ''
  return `${passed}/${total}${isPlain ? '' : ` (${formatPercent(pass_rate)})`}${errors}`
}

function runFinishedText(event: EventOf<'run_finished'>, state: Progress): string | null {
  if (state.triggers !== null) return triggerRunText(event, state.triggers)
  return event.cached || state.ended.has(event.run_id) ? null : runText(event, state)
}

/** `grade` absent: it has none. */
function runText(run: EventOf<'run_finished'>, state: Progress, grade?: EventOf<'grade_finished'>): string {
  const how = run.status === 'completed' ? '' : ` ${run.status}${run.message ? `: ${oneLine(run.message, 200)}` : ''}`
  const verdict = grade === undefined ? '' : `: ${scoreText(grade)}`
  const count = `[${state.finished - state.ended.size}/${state.total}]`
  return `${count} ${runLabel(run)}${how}${verdict} ${durationText(run.duration_ms)}`
}

function improveText({ step, round, message }: EventOf<'improve_step'>): string | null {
  if (step === 'stopped' || step === 'certified') return null // the result reports it
  const text = oneLine(`${round > 0 ? `round ${round}: ` : ''}${message}`, 1000)
  return wrapText(text, textWidth(process.stderr)).join('\n')
}

function judgeBatchText({ batch, done, total, ended }: EventOf<'judge_batch'>): string {
  const what = `batch ${oneLine(batch, 80)} of the judge: ${done} of ${total}`
  return ended ? `${what}, ended` : `waiting for ${what}; Ctrl-C ends the wait, and the same command continues it`
}

/** The numbers of an interim analysis, and whether the benchmark continues. */
function interimLookText({ blocks, wins, losses, pairs, predictive_power: power, status, reason }: EventOf<'looked'>) {
  const ties = pairs - wins - losses
  const seen = `${wins} pairs won, ${losses} lost, ${ties} even`
  const outlook = power === undefined || power === null ? '' : `; predictive power ${formatPercent(power)}`
  const end = status === 'open' ? outlook : `; ${reason}`
  return `interim analysis after ${formatPlural(blocks, 'block')}: ${seen}${end}`
}

/** "after 4 blocks: pdf-a can't win; 2 in the race, next look after 8 blocks" */
export function rankLookText({ blocks, running, stopped, next, status }: z.infer<typeof rankLook>): string {
  const left = running.length - stopped.length
  const out = stopped.length === 0 ? 'none stops' : `${joinNames(stopped)} can't win`
  const then =
    next === null
      ? `the race ends: ${raceEnds[status]}`
      : `${left} in the race, next look after ${formatPlural(next, 'block')}`
  return `after ${formatPlural(blocks, 'block')}: ${out}; ${then}`
}

const raceEnds: Record<z.infer<typeof rankLook>['status'], string> = {
  winner: 'a winner',
  close: 'those left are close',
  max_runs: 'no more runs',
  open: 'open',
}

function draftingText({ skill_name, by, made, wanted, left_out }: EventOf<'drafting'>): string {
  const lost = left_out === 0 ? '' : `, ${left_out} could not be used`
  return made === 0 && left_out === 0
    ? `${skill_name}: ${by} is asked to draft ${wanted} cases`
    : `${skill_name}: ${made} of ${wanted} cases drafted${lost}`
}

function failure({ skill, cell, message, fix }: EventOf<'skill_failed'>): string {
  const what = [skill, cell].filter((name) => name !== undefined).join(' · ')
  return shortLines(errorLines(`${what}: ${message}`, fix))
}

function lastFailed({ benchmark, cases }: EventOf<'last_failed'>): string {
  if (cases.length === 0) return oneLine(`no case failed in ${benchmark}`, 500)
  const lines = cases.map(({ eval_id, eval_name, reason }) => `  ${eval_id} ${eval_name}: ${reason}`)
  return shortLines([`last failed, of ${benchmark}:`, ...lines])
}

function table(given: LiveOptions): LiveView {
  const { stream } = given
  const view = { state: noProgress, isPaused: false, drawnAt: Date.now(), saidAt: Number.POSITIVE_INFINITY }
  let options = given
  /** The lines on the terminal. */
  let drawn: string[] = []
  /** in one write, so that the terminal never shows the gap */
  const draw = (above = '', text = liveBlock(view.state, options)) => {
    // a terminal that became narrower has wrapped its lines
    const height = drawn.reduce((sum, line) => sum + Math.ceil((stringWidth(line) || 1) / terminalWidth(stream)), 0)
    // line by line: some terminals keep a copy of what is erased as a whole screen
    const erasure = height > 0 ? `\r\x1b[2K${'\x1b[A\x1b[2K'.repeat(height)}` : ''
    stream.write(erasure + above + text.map((line) => `${line}\n`).join(''))
    drawn = text
    view.drawnAt = Date.now()
  }
  const say = (line: string) => draw(`${line}\n`)
  /** keeps the drawn lines; the next benchmark gets a new block */
  const leaveBlock = () => {
    draw()
    view.state = noProgress
    drawn = []
  }
  const timer = setInterval(() => {
    if (view.isPaused) return
    const now = Date.now()
    if (isUnderWay(view.state)) draw()
    // between benchmarks, such as while a model proposes an edit
    else if (now - view.saidAt >= 1000) draw('', [colours(stream).dim(`… ${durationText(now - view.saidAt)}`)])
  }, 1000)
  timer.unref()
  return {
    on(event) {
      // a benchmark's table has a line for it
      if (event.type === 'waiting' && view.state.plan === null) say(waitingText(event))
      const shown = readEvent(event, view.state)
      if (shown?.place === 'above') say(shown.text)
      const preamble = (plan: EventOf<'plan_ready'>) =>
        planPreamble(plan).flatMap((line) => wrapText(line, textWidth(stream)))
      const ended = shown?.place === 'after' ? [shown.text] : event.type === 'plan_ready' ? preamble(event) : null
      if (ended !== null) leaveBlock()
      view.state = advanceProgress(view.state, event)
      if (ended !== null) {
        stream.write(ended.map((line) => `${line}\n`).join(''))
        view.saidAt = Date.now()
      }
      if (isUnderWay(view.state) && Date.now() - view.drawnAt >= 100) draw()
    },
    sayStopping(line) {
      options = { ...given, isStopping: true }
      say(line)
    },
    async pause(ask) {
      draw('', [])
      view.isPaused = true
      return await ask().finally(() => {
        view.isPaused = false
      })
    },
    end() {
      clearInterval(timer)
      leaveBlock()
    },
  }
}

function isUnderWay({ plan, triggers }: Progress): boolean {
  return plan !== null || triggers !== null
}
