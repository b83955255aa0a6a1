/** What becomes of the reports and events of several processes of one session. */
import { expect, test } from 'vitest'
import { completeRun, failRun } from '../../../src/engines/answers/run_outcome.ts'
import { type CliTurn, converse } from '../../../src/engines/cli/conversation.ts'
import {
  type EmittedEvent,
  type EngineContext,
  type EngineReport,
  type EngineTask,
  emptyReport,
} from '../../../src/engines/engine.ts'
import { noUsage, withoutEarlier } from '../../../src/engines/models/cost.ts'
import { createEarlyReport } from '../../../src/phases/2-run/run_with_timeout.ts'
import { openStage } from '../stage.ts'

const used = (output_tokens: number) => ({ ...noUsage, output_tokens })
const paid = (usd: number) => ({ usd, source: 'agent' as const })

/** Holds a conversation whose processes report these; a text instead is the error with which the process fails. */
async function hold(
  reports: readonly (Partial<EngineReport> & { error?: string })[],
  more: Partial<EngineTask> = {},
  soFar?: EngineContext['soFar'],
) {
  await using stage = await openStage()
  const events: EmittedEvent[] = []
  const turns: CliTurn[] = []
  const said = ['two', 'three', 'four']
  const task = stage.task({ prompt: 'one', nextMessage: async () => said.shift() ?? null, ...more })
  const context = { emit: (event: EmittedEvent) => void events.push(event), signal: new AbortController().signal }
  const outcome = await converse(
    task,
    { ...context, stderrFile: null, ...(soFar && { soFar }) },
    async (turn, inner) => {
      const { error, ...known } = reports[turns.length] ?? { error: 'no report is left' }
      turns.push(turn)
      const report = { ...emptyReport, sessionId: 's', finalResponse: `answer to ${turn.prompt}`, ...known }
      inner.emit({ type: 'system', step: 0, subtype: 'init' })
      inner.emit({ type: 'assistant', step: 1, text: report.finalResponse })
      if (error === undefined) return completeRun(inner, report, 1)
      const failure = { kind: 'crash' as const, message: error, retryable: true, retryAfterMs: null }
      return failRun(inner, failure, { report, step: 1 })
    },
  )
  return { outcome, events, turns }
}

const three = [
  { usage: used(1), cost: paid(1), version: '1', permissionDenials: ['a'], answered: true, waitedMs: 5 },
  { usage: used(2), cost: paid(2), permissionDenials: null },
  { usage: used(4), cost: { usd: 4, source: 'estimated' as const }, permissionDenials: ['b'], waitedMs: 6, model: 'm' },
]

/** A user with so many messages. */
function saysTwo(times: number) {
  const said = Array<string>(times).fill('two')
  return async () => said.shift() ?? null
}

test('all turns are in the report; steps go on, the session begins once, and one result ends it', async () => {
  const { outcome, events, turns } = await hold(three, { nextMessage: saysTwo(2) })
  expect(outcome).toMatchObject({
    status: 'completed',
    report: {
      ...{ usage: used(7), cost: { usd: 7, source: 'estimated' }, permissionDenials: ['a', 'b'], waitedMs: 11 },
      ...{ version: '1', model: 'm', sessionId: 's', answered: true, finalResponse: 'answer to two' },
    },
  })
  expect(events.map(({ type, step }) => `${type} ${step}`)).toEqual([
    ...['system 0', 'assistant 1', 'assistant 2', 'assistant 3', 'result 3'],
  ])
  expect(turns.map(({ resumes }) => resumes?.sessionId)).toEqual([undefined, 's', 's'])
  expect(turns.map(({ resumes }) => resumes?.usage?.output_tokens)).toEqual([undefined, 1, 3])
})

test('without a user there is one turn', async () => {
  const { outcome, events, turns } = await hold(three, { nextMessage: undefined })
  expect(turns).toHaveLength(1)
  expect(outcome.report).toEqual({ ...emptyReport, sessionId: 's', finalResponse: 'answer to one', ...three[0] })
  expect(events.map(({ type }) => type)).toEqual(['system', 'assistant', 'result'])
})

test('tokens that a turn does not report make the sum unknown; a turn that failed may have taken none', async () => {
  const [first = {}] = three
  const silent = await hold([first, { usage: null, cost: null }], { nextMessage: saysTwo(1) })
  expect(silent.outcome.report).toMatchObject({ usage: null, cost: null })
  const failed = await hold([first, { usage: null, error: 'broken' }])
  expect(failed.outcome).toMatchObject({
    status: 'failed',
    error: { message: 'broken' },
    report: { usage: used(1), cost: paid(1), answered: true },
  })
  expect(failed.events.map(({ type, step }) => `${type} ${step}`).at(-1)).toBe('error 2')
})

test.each([
  ['another session', [{}, { sessionId: 'other' }], /continued in session other, not in s/],
  ['no session', [{ sessionId: null }], /named no session/],
])('%s fails the run', async (_, reports, message) => {
  const { outcome } = await hold(reports)
  const error = { kind: 'bad_output', message: expect.stringMatching(message) }
  expect(outcome).toMatchObject({ status: 'failed', error })
})

test.each(['max_tokens', 'max_turns', 'refusal', 'context_window'])('%s ends the conversation', async (stopReason) => {
  const { outcome, turns } = await hold([{ stopReason }])
  expect(turns).toHaveLength(1)
  expect(outcome).toMatchObject({ status: 'completed', report: { stopReason } })
})

test('each turn may have the responses that are left', async () => {
  const { outcome, turns } = await hold(three, { maxTurns: 2 })
  expect(turns.map(({ maxTurns }) => maxTurns)).toEqual([2, 1])
  expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'max_turns' } })
})

test('if there is no next message for a reason, it rejects, and what was spent is known', async () => {
  const early = createEarlyReport()
  const nextMessage = () => Promise.reject(new Error('the user is gone'))
  await expect(hold(three, { nextMessage }, early.soFar)).rejects.toThrow('the user is gone')
  expect(await early.take()).toMatchObject({ usage: used(1), cost: paid(1), sessionId: 's' })
})

test.each([
  ['a sum has the earlier turns taken out', 15, 10, 5, 5],
  ['a count of its own stays', 12, 10, 5, 12],
  ['nothing came after the earlier turns', 10, 10, null, 0],
  ['the earlier turns are not known', 15, null, 5, 15],
])('tokens of a later process: %s', (_, total, earlier, seen, own) => {
  const usage = withoutEarlier(used(total), earlier === null ? null : used(earlier), seen === null ? null : used(seen))
  expect(usage).toEqual(used(own))
})
