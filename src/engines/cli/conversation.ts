/** Holds a conversation with an agent CLI that takes one message a process: for each further message it is started again in the same session. */
import { endMarked } from '../../base/process/marked_processes.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { completeRun, endsTurn, failRun } from '../answers/run_outcome.ts'
import {
  type EmittedEvent,
  type EngineContext,
  type EngineOutcome,
  type EngineReport,
  type EngineTask,
  emptyReport,
} from '../engine.ts'
import { addCost, addUsage } from '../models/cost.ts'
import { toRunError } from './run_failure.ts'

/** A task for one process: this turn's message, and what is left of the responses. */
export interface CliTurn extends EngineTask {
  /** The session to go on with, and what it has taken so far; absent: it begins one. */
  resumes?: { sessionId: string } & Pick<EngineReport, 'usage' | 'cost'>
}

/**
 * Runs turn after turn with `runTurn`, until the user has no further message or the agent did not end a turn by itself. The report and
 * the events are those of the whole conversation: steps go on, tokens and cost are added up, and one `result` ends it. Without
 * `task.nextMessage` there is one turn. Resolves and rejects like `runTurn`, and rejects if `nextMessage` does.
 */
export async function converse(
  task: EngineTask,
  context: EngineContext,
  runTurn: (turn: CliTurn, context: EngineContext) => Promise<EngineOutcome>,
): Promise<EngineOutcome> {
  let before: EngineReport | null = null
  let soFar: (() => Promise<EngineReport>) | null = null
  context.soFar?.(async () => joinReports(before, soFar === null ? null : await soFar()))
  let turn: CliTurn = task
  let steps = 0
  for (;;) {
    const first = steps
    const isLater = before !== null
    const emit = (event: EmittedEvent) => {
      const step = first + event.step
      steps = Math.max(steps, step)
      if (event.type !== 'result' && !(isLater && isInit(event))) context.emit({ ...event, step })
    }
    const outcome = await runTurn(turn, {
      ...context,
      emit,
      soFar(report) {
        soFar = report
      },
    })
    soFar = null
    const report = joinReports(before, outcome.report, outcome.status === 'completed')
    if (outcome.status === 'failed') return { ...outcome, report }
    const { sessionId, stopReason, finalResponse: text } = report
    const other = outcome.report.sessionId
    if (isLater && other !== null && other !== sessionId) {
      const message = `the agent continued in session ${other}, not in ${sessionId}`
      return failRun(context, toRunError('bad_output', message), { report, step: steps })
    }
    before = report
    if (task.nextMessage === undefined || !endsTurn(stopReason)) return completeRun(context, report, steps)
    if (task.tools === 'all') await endPrograms(task)
    const message = await task.nextMessage({ text, step: steps })
    context.signal.throwIfAborted()
    if (message === null) return completeRun(context, report, steps)
    if (sessionId === null) {
      const error = toRunError('bad_output', 'the agent named no session, so it got no further message')
      return failRun(context, error, { report, step: steps })
    }
    const left = task.maxTurns === null ? null : task.maxTurns - steps
    if (left !== null && left <= 0) return completeRun(context, { ...report, stopReason: 'max_turns' }, steps)
    turn = { ...task, prompt: message, maxTurns: left, resumes: { ...report, sessionId } }
  }
}

/** Programs of its tools may be in process groups of their own, and outlive it. */
export async function endPrograms({ env }: Pick<EngineTask, 'env'>): Promise<void> {
  const mark = env[runMark]
  if (mark) await endMarked(mark)
}

function isInit(event: EmittedEvent): boolean {
  return event.type === 'system' && event.subtype === 'init'
}

/** `isOver`: the later turn ended well, so what it does not count is unknown; else it may have taken nothing. */
function joinReports(before: EngineReport | null, last: EngineReport | null, isOver = false): EngineReport {
  if (before === null || last === null) return last ?? before ?? emptyReport
  const known = <T>(sum: T | null, one: T | null, add: (sum: T, one: T) => T) => {
    if (sum === null || one === null) return isOver ? null : sum
    return add(sum, one)
  }
  return {
    ...last,
    version: before.version ?? last.version,
    model: last.model ?? before.model,
    provider: last.provider ?? before.provider,
    sessionId: before.sessionId ?? last.sessionId,
    usage: known(before.usage, last.usage, addUsage),
    cost: known(before.cost, last.cost, addCost),
    loaded: before.loaded ?? last.loaded,
    permissionDenials: joinLists(before.permissionDenials, last.permissionDenials),
    waitedMs: before.waitedMs + last.waitedMs,
    answered: before.answered || last.answered,
  }
}

function joinLists(one: string[] | null, other: string[] | null): string[] | null {
  return one === null && other === null ? null : [...(one ?? []), ...(other ?? [])]
}
