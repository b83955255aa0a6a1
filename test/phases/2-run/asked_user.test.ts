/** When a run counts as ended by a question to the user: by its tool calls first, then by its final answer. */
import { describe, expect, test } from 'vitest'
import type { ConversationEnd } from '../../../schemas/conversation.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { claudeCode } from '../../../src/engines/claude_code/claude_code.ts'
import { codex } from '../../../src/engines/codex/codex.ts'
import type { Engine } from '../../../src/engines/engine.ts'
import { openai } from '../../../src/engines/openai/openai.ts'
import { commandEngine } from '../../../src/features/command/any_program.ts'
import { opencode } from '../../../src/features/opencode/opencode.ts'
import { findUserQuestion, type RunEvidence } from '../../../src/phases/2-run/asked_user.ts'

const at = '2026-01-01T00:00:00.000Z'

function call(name: string, input: Extract<TranscriptEvent, { type: 'tool_call' }>['input'] = {}): TranscriptEvent {
  return { type: 'tool_call', at, step: 1, id: name, name, input }
}

const nothing: RunEvidence['outputs'] = { files: [], deleted: [], left_out: [] }
const written: RunEvidence['outputs'] = {
  ...nothing,
  files: [{ path: 'a.md', bytes: 1, sha256: '0', change: 'created' }],
}

interface Told {
  engine?: Engine
  answer?: string
  events?: TranscriptEvent[]
  denials?: string[]
  outputs?: RunEvidence['outputs']
  conversation?: RunEvidence['conversation']
}

function find({ engine = claudeCode, answer = '', events = [], denials, outputs = nothing, conversation }: Told) {
  const report = { finalResponse: answer, permissionDenials: denials ?? null }
  return findUserQuestion({ engine, report, events, outputs, conversation })
}

describe('a tool that asks the user', () => {
  test.each([
    [claudeCode, 'AskUserQuestion', { questions: [{ question: 'Which format?' }] }],
    [codex, 'request_user_input', { questions: [{ id: 'f', question: 'Which format?' }] }],
    [opencode, 'question', { questions: [{ question: 'Which format?', options: [] }] }],
  ])('$name: $1 as the last call', (engine, name, input) =>
    expect(find({ engine, events: [call('Read'), call(name, input)], answer: 'I wait for an answer.' })).toEqual({
      via: name,
      question: 'Which format?',
    }),
  )
  const ask = [call('AskUserQuestion')]
  test.each<[string, Told]>([
    ['also after files were changed', { events: ask, outputs: written, answer: 'Which format?' }],
    ['a denied call without its events', { denials: ['AskUserQuestion'], answer: 'Which format?' }],
  ])('%s', (_, told) => expect(find(told)).toEqual({ via: 'AskUserQuestion', question: 'Which format?' }))
  test.each<[string, Told]>([
    ['where the agent went on with another tool', { events: [...ask, call('Write')], outputs: written }],
    ['the tool of another engine', { engine: openai, events: ask, answer: 'Done.' }],
    ['another denied call', { denials: ['Bash'], answer: 'I may not.' }],
  ])('not %s', (_, told) => expect(find(told)).toBeNull())
})

describe('a final answer', () => {
  test.each([
    ['Which format?', 'Which format?'],
    ['I need one thing first.\n\n**Which format do you want?**\n', '**Which format do you want?**'],
    ['どの形式にしますか？', 'どの形式にしますか？'],
    ['Should I go on (yes or no?)', 'Should I go on (yes or no?)'],
  ])('%j ends with a question', (answer, question) => {
    for (const engine of [commandEngine, openai, codex, claudeCode]) {
      expect(find({ engine, answer })).toEqual({ via: 'final_response', question })
    }
  })
  test.each([
    ['', 'nothing was said'],
    ['The total is 42.', 'a statement'],
    ['Which format? I took CSV.', 'a question that was answered'],
    ['The total is 42.\nAnything else?', 'an offer'],
    ['The total is 42.\nWould you like me to also add a chart?', 'an offer'],
  ])('%j does not: %s', (answer) => expect(find({ engine: openai, answer })).toBeNull())
  test('a question after the work was done is not an end by asking', () =>
    expect(find({ engine: openai, answer: 'Shall I commit it?', outputs: written })).toBeNull())
})

describe('in a conversation only its end counts', () => {
  const said = (text: string): TranscriptEvent => ({ type: 'user', at, step: 1, text })
  const talk = (ended: ConversationEnd): RunEvidence['conversation'] => ({
    turns: [
      { prompt: 'Add up', answer: 'Which currency?', step: 1 },
      { prompt: 'EUR', answer: 'Done.', step: 2 },
    ],
    ended,
  })
  const events = [said('Add up'), call('AskUserQuestion', { question: 'Which currency?' }), said('EUR')]
  test('not a question that the user answered', () =>
    expect(find({ events, answer: 'Done.', conversation: talk('all_delivered') })).toBeNull())
  test('without the conversation it would count', () =>
    expect(find({ events, answer: 'Done.' })).toMatchObject({ via: 'AskUserQuestion' }))
  test('not a refused call, which may have been in any turn', () => {
    const refused = { events: [said('Add up'), said('EUR')], denials: ['AskUserQuestion'] }
    expect(find({ ...refused, conversation: talk('all_delivered') })).toBeNull()
  })
  test('a question after the last message', () => {
    const asks = [...events, call('AskUserQuestion', { question: 'Which year?' })]
    expect(find({ events: asks, conversation: talk('all_delivered') })).toMatchObject({ question: 'Which year?' })
    expect(find({ events, answer: 'Which year?', conversation: talk('agent_response_mismatch') })).toMatchObject({
      via: 'final_response',
    })
  })
  test.each<ConversationEnd>(['goal_met', 'stop', 'end_when'])(
    'not when the conversation had already ended: %s',
    (ended) => expect(find({ events, answer: 'Which year?', conversation: talk(ended) })).toBeNull(),
  )
})
