/** The progress of a command, from its events: runs of a benchmark with their costs and verdicts, or of trigger queries. */
import { type FlowEvent, gradingStep } from '../../../schemas/flow_event.ts'
import { meanOrNull } from '../../base/totals.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { warningLines } from '../print_error.ts'
import { dollarsText, oneLine, percentText, shortLines } from './style.ts'

export interface ProgressCell {
  planned: number
  running: number
  finished: number
  failed: number
  passRates: number[]
}

export interface Progress {
  plan: Extract<FlowEvent, { type: 'plan_ready' }> | null
  /** Keyed by `<eval_id> <configuration>`. */
  cells: ReadonlyMap<string, ProgressCell>
  /** Planned runs; for --until decided, those up to the next interim analysis. */
  total: number
  finished: number
  graded: number
  tokens: number
  usd: number | null
  /** By run id: runs that ended and wait for their grade. */
  ended: ReadonlyMap<string, RunFinished>
  /** Milliseconds of work and grading of each run that this start executed, once it is graded or failed. */
  times: readonly number[]
  /** Concurrent requests that the provider sustains, once throttled; null: not throttled. */
  limit: number | null
  /** What everything waits for; null: something is working. */
  waiting: Extract<FlowEvent, { type: 'waiting' }> | null
  /** By run id: runs in progress, until they are graded. */
  active: ReadonlyMap<string, ActiveRun>
  /** Of the clock that `advanceProgress` is given, in milliseconds. */
  startedAt: number
  /** Running trigger queries; null: none. */
  triggers: TriggerProgress | null
}

export type RunName = Omit<Extract<FlowEvent, { type: 'run_started' }>, 'type'>

interface ActiveRun {
  run: RunName
  /** When the run began, in milliseconds. */
  since: number
  doing: string
  /** When it began to do that. */
  doingSince: number
}

export const noProgress: Progress = {
  plan: null,
  cells: new Map(),
  total: 0,
  finished: 0,
  graded: 0,
  tokens: 0,
  usd: null,
  ended: new Map(),
  times: [],
  limit: null,
  waiting: null,
  active: new Map(),
  startedAt: 0,
  triggers: null,
}

/** `now`: milliseconds of a clock. */
export function advanceProgress(before: Progress, event: FlowEvent, now = Date.now()): Progress {
  const state = { ...before, active: advanceActive(before.active, event, now) }
  if (event.type === 'triggers_planned') return { ...noProgress, triggers: startTriggers(event) }
  if (state.triggers !== null) return { ...state, triggers: advanceTriggers(state.triggers, event) }
  switch (event.type) {
    case 'plan_ready':
      return {
        ...{ ...noProgress, plan: event, cells: createCells(event), finished: event.done, startedAt: now },
        total: plannedTotal(event, event.first_look),
      }
    case 'limit_changed':
      return { ...state, limit: event.limit }
    case 'waiting':
    case 'waiting_ended':
      return { ...state, waiting: event.type === 'waiting' ? event : null }
    case 'run_started':
      return withCell(state, event, (cell) => ({ ...cell, running: cell.running + 1 }))
    case 'looked':
      return { ...state, total: plannedTotal(state.plan, event.next ?? event.blocks) }
    case 'older_runs':
      return { ...state, total: state.total + event.repeated }
    case 'run_finished':
      return withCell(countRun(state, event), event, (cell) => ({
        ...cell,
        running: Math.max(0, cell.running - 1),
        finished: cell.finished + 1,
        failed: cell.failed + (event.status === 'failed' ? 1 : 0),
      }))
    case 'grade_finished': {
      const rate = event.again === undefined ? event.pass_rate : null
      const next = withCell(withoutEnded(state, event.run_id), event, (cell) =>
        rate === null ? cell : { ...cell, passRates: [...cell.passRates, rate] },
      )
      return {
        ...next,
        ...(state.ended.has(event.run_id) && { times: [...state.times, workedMs(before, event.run_id, now)] }),
        graded: state.graded + (event.again === undefined ? 1 : 0),
        usd: addKnown(state.usd, event.cached ? null : event.cost_usd),
      }
    }
    default: // shown as a line
      return state
  }
}

/** `blocks`: the released ones; absent: every planned run. */
function plannedTotal(plan: Progress['plan'], blocks: number | undefined): number {
  if (plan === null) return 0
  return blocks === undefined ? plan.runs : 2 * blocks * (plan.cases.length - plan.cannot_run.length)
}

type RunFinished = Extract<FlowEvent, { type: 'run_finished' }>

function countRun(state: Progress, event: RunFinished): Progress {
  if (event.cached) return { ...state, finished: state.finished + 1 }
  return {
    ...state,
    finished: state.finished + 1,
    tokens: state.tokens + (event.tokens ?? 0),
    usd: addKnown(state.usd, event.cost_usd),
    ...(event.status === 'completed' || event.status === 'timed_out'
      ? { ended: new Map(state.ended).set(event.run_id, event) }
      : { times: [...state.times, event.duration_ms] }),
  }
}

/** The run no longer waits for its grade. */
export function withoutEnded(state: Progress, id: string): Progress {
  return { ...state, ended: new Map([...state.ended].filter(([one]) => one !== id)) }
}

/** Milliseconds of the run's work and grading so far, without the wait between them. */
function workedMs({ active, ended }: Progress, id: string, now: number): number {
  return (ended.get(id)?.duration_ms ?? 0) + now - (active.get(id)?.since ?? now)
}

function addKnown(sum: number | null, more: number | null): number | null {
  return more === null ? sum : (sum ?? 0) + more
}

/** Runs on disk count as finished; their grades arrive as separate events. */
function createCells(plan: Extract<FlowEvent, { type: 'plan_ready' }>): Map<string, ProgressCell> {
  const empty: ProgressCell = { planned: plan.runs_per_case, running: 0, finished: 0, failed: 0, passRates: [] }
  const done = new Map(plan.done_by_case?.map((one) => [`${one.eval_id} ${one.configuration}`, one.runs]))
  const planned = new Map(plan.planned_by_case?.map((one) => [`${one.eval_id} ${one.configuration}`, one.runs]))
  const keys = plan.cases.flatMap(({ eval_id }) => planArms(plan).map((arm) => `${eval_id} ${arm}`))
  return new Map(
    keys.map((key) => [key, { ...empty, planned: planned.get(key) ?? empty.planned, finished: done.get(key) ?? 0 }]),
  )
}

function withCell(
  state: Progress,
  run: { eval_id: number; configuration: string },
  change: (cell: ProgressCell) => ProgressCell,
): Progress {
  const own = `${run.eval_id} ${run.configuration}`
  // the contenders of a ranking share the cell of their case
  const key = state.cells.has(own) ? own : `${run.eval_id} ${state.plan?.candidate}`
  const cell = state.cells.get(key)
  return cell === undefined ? state : { ...state, cells: new Map(state.cells).set(key, change(cell)) }
}

function advanceActive(active: Progress['active'], event: FlowEvent, now: number): Progress['active'] {
  const does = (run: ActiveRun['run'], doing: string) => {
    const since = active.get(run.run_id)?.since ?? now
    return new Map(active).set(run.run_id, { run, since, doing, doingSince: now })
  }
  switch (event.type) {
    case 'run_started':
      return does(event, 'starts')
    case 'run_step':
      return does(event, event.doing)
    case 'run_retried':
      return does(event, `waits for a retry (${event.kind})`)
    case 'run_finished':
    case 'grade_finished':
      return new Map([...active].filter(([id]) => id !== event.run_id))
    default: // says nothing about a run
      return active
  }
}

/** The configurations of a plan; eval has one. */
export function planArms({ candidate, baseline }: { candidate: string; baseline: string }): string[] {
  return candidate === baseline ? [candidate] : [candidate, baseline]
}

/** Mean of a configuration's pass rates so far; null before the first. */
export function armRate(state: Progress, arm: string): number | null {
  const rates = [...state.cells].filter(([key]) => key.endsWith(` ${arm}`)).flatMap(([, cell]) => cell.passRates)
  return meanOrNull(rates)
}

/** Milliseconds left if runs take as long as those before, on average; null: not known, or none is left; 0: each takes longer already. */
export function timeLeft(state: Progress, width: number, now: number): number | null {
  const { times, active, ended, total, finished } = state
  const working = [...active].filter(([, { doing }]) => doing !== gradingStep).length
  const fresh = Math.max(0, total - finished - working)
  if (times.length === 0 || fresh + active.size === 0) return null
  const mean = meanOrNull(times) ?? 0
  const open = [...new Set([...active.keys(), ...ended.keys()])].map((id) => mean - workedMs(state, id, now))
  const left = [...Array.from({ length: fresh }, () => mean), ...open.sort((a, b) => b - a)]
  // the run that ends last comes after every width-th of those before it
  return left.filter((_, index) => index % width === 0).reduce((sum, ms) => sum + Math.max(0, ms), 0)
}

type TriggersPlannedEvent = Extract<FlowEvent, { type: 'triggers_planned' }>

/** `progress.triggers` is null when no queries are running. */
export interface TriggerProgress {
  plan: TriggersPlannedEvent
  running: number
  finished: number
  /** Runs without an answer. */
  errors: number
  /** For queries that should trigger, and those that should not: runs with an answer, and triggered runs. */
  should: { runs: number; triggered: number }
  shouldNot: { runs: number; triggered: number }
  usd: number | null
}

function startTriggers(plan: TriggersPlannedEvent): TriggerProgress {
  const none = { runs: 0, triggered: 0 }
  return { plan, running: 0, finished: plan.done, errors: 0, should: none, shouldNot: none, usd: null }
}

function advanceTriggers(state: TriggerProgress, event: FlowEvent): TriggerProgress {
  if (event.type === 'run_started') return { ...state, running: state.running + 1 }
  if (event.type !== 'run_finished') return state
  const { eval_id, skill_read, cost_usd } = event
  const usd = addKnown(state.usd, cost_usd)
  const next = { ...state, usd, running: Math.max(0, state.running - 1), finished: state.finished + 1 }
  if (!hasAnswer(event)) return { ...next, errors: state.errors + 1 }
  const which = state.plan.queries.find((one) => one.eval_id === eval_id)?.should_trigger ? 'should' : 'shouldNot'
  const { runs, triggered } = state[which]
  return { ...next, [which]: { runs: runs + 1, triggered: triggered + (skill_read === true ? 1 : 0) } }
}

function hasAnswer({ status, skill_read }: RunFinished): boolean {
  return skill_read === true || (status === 'completed' && skill_read === false)
}

const mostWarnings = 5

/** The first of the loader's warnings; all are in plan.json. */
export function firstWarningLines(warnings: TriggersPlannedEvent['warnings']): string[] {
  const hidden = warnings.length - mostWarnings
  const more = hidden > 0 ? [`… ${formatPlural(hidden, 'more warning')} in plan.json`] : []
  return [...warnings.slice(0, mostWarnings).flatMap(warningLines), ...more]
}

/** What a user should know before the runs. */
export function triggersPlannedText(plan: TriggersPlannedEvent): string {
  const { choices, warnings, queries, among, runs, done } = plan
  const should = queries.filter(({ should_trigger }) => should_trigger).length
  const engine = plan.model ? `${plan.engine} (${plan.model})` : plan.engine
  const beside = among.length === 0 ? '' : ` · among ${among.length} other skills`
  const counts = `${queries.length} queries (${should} should trigger, ${queries.length - should} should not)`
  const most = plan.is_most ? 'at most ' : ''
  return shortLines([
    ...choices,
    ...firstWarningLines(warnings),
    ...(done > 0 ? [`continuing in ${plan.folder}: ${done} of ${runs} runs already done`] : []),
    `${plan.skill_name} · ${engine} · ${counts} = ${most}${runs} runs${beside}`,
  ])
}

/** Which queries go on after the others are decided; null: all of them, at the start. */
export function triggerRoundText({ round, runs }: Extract<FlowEvent, { type: 'trigger_round' }>): string | null {
  if (round === 1) return null
  return `round ${round}: ${formatPlural(runs, 'more run')}, of the queries that are not decided yet`
}

export function triggerRunText(event: RunFinished, { plan, finished }: TriggerProgress): string {
  const query = plan.queries.find(({ eval_id }) => eval_id === event.eval_id)
  const said = event.skill_read === true ? 'triggered' : 'not triggered'
  const how = hasAnswer(event) ? said : `NO ANSWER: ${event.kind ?? event.status}: ${oneLine(event.message ?? '', 200)}`
  const wrong = hasAnswer(event) && event.skill_read !== query?.should_trigger ? ' ✗' : ''
  return `[${finished}/${plan.runs}] ${event.eval_id} ${oneLine(event.eval_name, 50)} · run ${event.run_number}: ${how}${wrong}`
}

/** The line that redraws. */
export function triggerStatus({ plan, running, finished, errors, should, shouldNot, usd }: TriggerProgress): string {
  const rate = ({ runs, triggered }: { runs: number; triggered: number }) =>
    runs === 0 ? '–' : `${percentText(triggered / runs)} of ${runs}`
  return [
    `${finished}/${plan.runs} runs`,
    `${running} at work`,
    `should trigger: ${rate(should)}`,
    `should not: ${rate(shouldNot)}`,
    ...(errors > 0 ? [`${errors} without an answer`] : []),
    ...(usd === null ? [] : [dollarsText(usd)]),
  ].join(' · ')
}
