/** Formats running trigger queries: choices, how many runs have an answer, how many triggered. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { warningLines } from '../print_error.ts'
import { dollarsText, oneLine, percentText } from './style.ts'

type TriggersPlannedEvent = Extract<FlowEvent, { type: 'triggers_planned' }>
type RunFinished = Extract<FlowEvent, { type: 'run_finished' }>

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

export function startTriggers(plan: TriggersPlannedEvent): TriggerProgress {
  const none = { runs: 0, triggered: 0 }
  return { plan, running: 0, finished: plan.done, errors: 0, should: none, shouldNot: none, usd: null }
}

/** The state after another event. */
export function advanceTriggers(state: TriggerProgress, event: FlowEvent): TriggerProgress {
  if (event.type === 'run_started') return { ...state, running: state.running + 1 }
  if (event.type !== 'run_finished') return state
  const { eval_id, skill_read, cost_usd } = event
  const usd = cost_usd === null ? state.usd : (state.usd ?? 0) + cost_usd
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

/** What a user should know before the runs. */
export function triggersPlannedText(plan: TriggersPlannedEvent): string {
  const { choices, warnings, queries, among, runs, done } = plan
  const should = queries.filter(({ should_trigger }) => should_trigger).length
  const engine = plan.model ? `${plan.engine} (${plan.model})` : plan.engine
  const beside = among.length === 0 ? '' : ` · among ${among.length} other skills`
  const counts = `${queries.length} queries (${should} should trigger, ${queries.length - should} should not)`
  const most = plan.is_most ? 'at most ' : ''
  const hidden = warnings.length - mostWarnings
  return [
    ...choices,
    ...warnings.slice(0, mostWarnings).flatMap(warningLines),
    ...(hidden > 0 ? [`… ${hidden} more warnings in plan.json`] : []),
    ...(done > 0 ? [`continuing in ${plan.folder}: ${done} of ${runs} runs already done`] : []),
    `${plan.skill_name} · ${engine} · ${counts} = ${most}${runs} runs${beside}`,
  ]
    .map((line) => oneLine(line, 500))
    .join('\n')
}

/** Which queries go on after the others are decided; null: all of them, at the start. */
export function triggerRoundText({ round, runs }: Extract<FlowEvent, { type: 'trigger_round' }>): string | null {
  if (round === 1) return null
  return `round ${round}: ${formatPlural(runs, 'more run')}, of the queries that are not decided yet`
}

/** One run, as a line. */
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

/** A measured or refused description. */
export function descriptionMeasuredText(event: Extract<FlowEvent, { type: 'description_measured' }>): string {
  const { round, description, behaves, refused } = event
  const what = round === 0 ? 'description now' : `proposal ${round}`
  const how = behaves === null ? `refused: ${refused ?? ''}` : `${percentText(behaves)} of training runs behave`
  return oneLine(`${what}: ${how}: ${description}`, 500)
}
