/** The state of a running benchmark: a pure reduction of flow events, drawn by live.ts. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { advanceTriggers, startTriggers, type TriggerProgress } from './live_triggers.ts'

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
  durations: readonly number[]
  /** Concurrent requests that the provider sustains, once throttled; null: not throttled. */
  limit: number | null
  /** What everything waits for; null: something is working. */
  waiting: Extract<FlowEvent, { type: 'waiting' }> | null
  /** The first case with both configurations graded, as text. */
  firstPair: string | null
  /** Running trigger queries; null: none. */
  triggers: TriggerProgress | null
}

export const noProgress: Progress = {
  plan: null,
  cells: new Map(),
  total: 0,
  finished: 0,
  graded: 0,
  tokens: 0,
  usd: null,
  durations: [],
  limit: null,
  waiting: null,
  firstPair: null,
  triggers: null,
}

export function advanceProgress(state: Progress, event: FlowEvent): Progress {
  if (event.type === 'triggers_planned') return { ...noProgress, triggers: startTriggers(event) }
  if (state.triggers !== null) return { ...state, triggers: advanceTriggers(state.triggers, event) }
  switch (event.type) {
    case 'plan_ready':
      return {
        ...{ ...noProgress, plan: event, cells: createCells(event), finished: event.done },
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
      const next = withCell(state, event, (cell) =>
        rate === null ? cell : { ...cell, passRates: [...cell.passRates, rate] },
      )
      return withFirstPair(
        {
          ...next,
          graded: state.graded + (event.again === undefined ? 1 : 0),
          usd: addKnown(state.usd, event.cached ? null : event.cost_usd),
        },
        event.eval_id,
      )
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
    durations: [...state.durations, event.duration_ms],
  }
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

function withFirstPair(state: Progress, evalId: number): Progress {
  const { plan } = state
  if (state.firstPair !== null || plan?.detectable === undefined) return state
  const rates = planArms(plan).map((arm) => state.cells.get(`${evalId} ${arm}`)?.passRates[0])
  const [a, b] = rates
  if (a === undefined || b === undefined) return state
  const name = plan.cases.find((one) => one.eval_id === evalId)?.eval_name ?? String(evalId)
  const text = `${name}: ${plan.candidate} ${Math.round(a * 100)}%, ${plan.baseline} ${Math.round(b * 100)}%`
  return { ...state, firstPair: text }
}

/** The configurations of a plan; eval has one. */
export function planArms({ candidate, baseline }: { candidate: string; baseline: string }): string[] {
  return candidate === baseline ? [candidate] : [candidate, baseline]
}

/** Mean of a configuration's pass rates so far; null before the first. */
export function armRate(state: Progress, arm: string): number | null {
  const rates = [...state.cells].filter(([key]) => key.endsWith(` ${arm}`)).flatMap(([, cell]) => cell.passRates)
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

/** Milliseconds left at the current speed; null before the first run has ended. `width`: concurrent runs. */
export function timeLeft(state: Progress, width: number): number | null {
  if (state.plan === null || state.durations.length === 0) return null
  const mean = state.durations.reduce((sum, ms) => sum + ms, 0) / state.durations.length
  return (mean * (state.total - state.finished)) / width
}
