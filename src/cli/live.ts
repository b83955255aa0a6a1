/** Draws a benchmark under way on stderr: a table that redraws on a terminal, plain lines elsewhere. */

import type { FlowEvent } from '../../schemas/flow_event.ts'
import { reusedText } from '../phases/4-report/reused.ts'
import { plural } from '../phases/4-report/words.ts'
import { block, type LiveOptions } from './live_block.ts'
import { comparisonAnalyzed, comparisonPlanned, pairJudged } from './live_comparison.ts'
import { draftingText } from './live_drafts.ts'
import { heading, preamble } from './live_heading.ts'
import { descriptionMeasured, triggerRunText, triggersPlanned } from './live_triggers.ts'
import { advance, noProgress, type Progress } from './progress.ts'
import { awaitedText, lostText } from './queue_wait.ts'
import { duration, oneLine, safe, textWidth, wrap } from './style.ts'

export interface Live {
  on: (event: FlowEvent) => void
  say: (line: string) => void
  end: () => void
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
      if (event.step === 'stopped') return null // the result says it
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

function table({ stream, concurrency }: LiveOptions): Live {
  const view = { state: noProgress, height: 0, dirty: false }
  const erase = () => {
    if (view.height > 0) stream.write(`\r\x1b[${view.height}A\x1b[0J`)
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
