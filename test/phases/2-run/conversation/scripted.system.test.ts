/** Conversations by script: conditions, ends, records and time, with the SDK engines and a program. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { keysFor, practice } from '../../../engines/stage.ts'
import { specOf } from '../../../fixtures/run_spec.ts'
import { performIn } from '../surroundings.ts'

/** Answers each message with its turn's text; the second turn runs a command first. */
const scenario = `
rules:
  - name: condition holds
    when: { user: "it asks for a colour" }
    answer: { tool_calls: [{ name: submit, input: { why: it does, holds: true } }] }
  - name: after the command
    when: { result: "made", last: "made" }
    answer: { text: "Report is shorter now. Anything else?" }
  - name: shorten
    when: { last: "shorten" }
    answer: { text: "I shorten.", tool_calls: [{ name: Bash, input: { command: "echo made > short.txt; cat short.txt" } }] }
  - name: thanks
    when: { last: "Thanks" }
    answer: { text: "You are welcome." }
  - name: first
    answer: { text: "I made a report about colours. Which colour?" }
`

interface Played {
  record: RunRecord
  events: TranscriptEvent[]
  requests: readonly unknown[]
}

async function play(engine: string, changes: Partial<RunSpec>): Promise<Played> {
  const folder = await mkdtemp(path.join(tmpdir(), 'scripted-'))
  await using server = await practice(scenario)
  try {
    const model = engine === 'openai' ? 'gpt-5.4-mini' : 'claude-sonnet-5-5'
    const spec = specOf({ engine: { name: engine, model }, prompt: 'Make a report', ...changes })
    const record = await performIn(folder, spec, {}, keysFor(server))
    const lines = (await readFile(path.join(folder, 'transcript.jsonl'), 'utf8')).trim().split('\n')
    return { record, events: lines.map((line) => JSON.parse(line)), requests: server.requests }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const script = [{ prompt: 'Now shorten it' }, { prompt: 'Thanks' }]

describe.each(['anthropic', 'openai'])('%s', (engine) => {
  test('sends each message in one session, and the record has the dialogue', async () => {
    const { record, events, requests } = await play(engine, { turns: script })
    expect(record).toMatchObject({
      status: 'completed',
      final_response: 'You are welcome.',
      steps: 4,
      conversation: {
        ended: 'all_delivered',
        turns: [
          { prompt: 'Make a report', answer: expect.stringContaining('Which colour?'), step: 1 },
          { prompt: 'Now shorten it', answer: expect.stringContaining('shorter now'), step: 3 },
          { prompt: 'Thanks', answer: 'You are welcome.', step: 4 },
        ],
      },
    })
    const told = events.flatMap((event) => (event.type === 'user' ? [event.text] : []))
    expect(told).toEqual(['Make a report', 'Now shorten it', 'Thanks'])
    expect(events.filter(({ type }) => type === 'result')).toHaveLength(1)
    expect(record.outputs.files.map(({ path: file }) => file)).toEqual(['short.txt'])
    expect(requests).toHaveLength(4)
  })

  test('counts the limit of turns over the whole conversation', async () => {
    const { record } = await play(engine, { turns: script, max_turns: 3 })
    expect(record).toMatchObject({ status: 'completed', stop_reason: 'max_turns', steps: 3 })
  })
})

describe('a condition', () => {
  const ends = async (turn: object, more: Partial<RunSpec> = {}) => {
    const { record } = await play('anthropic', { turns: [{ prompt: 'Thanks', ...turn }], ...more })
    return [record.conversation?.ended, record.conversation?.turns.length]
  }

  test('that holds sends the message', async () => {
    expect(await ends({ deliver_when: 'agent_asks' })).toEqual(['all_delivered', 2])
    expect(await ends({ agent_response_matches: '(?i)REPORT' })).toEqual(['all_delivered', 2])
  })

  test('that does not hold ends the conversation', async () => {
    expect(await ends({ agent_response_matches: 'time ?zone' })).toEqual(['agent_response_mismatch', 1])
    const turns = [{ prompt: 'Thanks' }, { prompt: 'Bye', deliver_when: 'agent_asks' as const }]
    expect(await ends({}, { turns })).toEqual(['agent_did_not_ask', 2])
  })

  test('can end the conversation before its last message', async () => {
    expect(await ends({}, { end_when: { agent_response_matches: 'report' } })).toEqual(['end_when', 1])
  })

  test('can be a statement that a model decides; what the model cost is kept apart', async () => {
    const user_engine = { name: 'anthropic', model: 'claude-haiku-5-5' }
    const turns = [{ prompt: 'Thanks', agent_response_meets: 'it asks for a colour' }]
    const { record } = await play('anthropic', { turns, user_engine })
    expect(record.conversation).toMatchObject({ ended: 'all_delivered', user: { calls: 1, engine: 'anthropic' } })
    expect(record.steps).toBe(2)
  })

  test('whose pattern never ends in JavaScript does not hold', async () => {
    for (const agent_response_matches of ['(?:[ a-zA-Z.?]+)+!', '(?=.)(?:[ a-zA-Z.?]+)+!'])
      expect(await ends({ agent_response_matches })).toEqual(['agent_response_mismatch', 1])
  })

  test('whose model fails makes the run a failure', async () => {
    const user_engine = { name: 'command', model: null, command: 'node -e process.exit(3)' }
    const turns = [{ prompt: 'Thanks', agent_response_meets: 'it asks' }]
    const { record } = await play('anthropic', { turns, user_engine })
    expect(record).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('the user model') } })
  })
})

describe('a program', () => {
  const talk = async (body: string, changes: Partial<RunSpec> = {}) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'program-'))
    const file = path.join(folder, 'agent.mjs')
    await writeFile(file, body)
    try {
      const engine = { name: 'command', model: null, command: `node ${file}` }
      return await play('command', { engine, turns: script, ...changes })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  const echo = `
    import { createInterface } from 'node:readline'
    console.log('ready', process.env.WHETSTONE_CONVERSATION)
    for await (const line of createInterface({ input: process.stdin })) {
      const { message } = JSON.parse(line)
      console.log(JSON.stringify({ answer: 'You said: ' + message }))
    }`

  test('gets each message as a line, and answers with lines', async () => {
    const { record } = await talk(echo)
    expect(record).toMatchObject({ status: 'completed', final_response: 'You said: Thanks', exit_code: 0 })
    expect(record.conversation?.turns.map(({ answer }) => answer)).toEqual([
      'You said: Make a report',
      'You said: Now shorten it',
      'You said: Thanks',
    ])
  })

  test('that crashes in the middle has failed', async () => {
    const { record } = await talk(
      echo.replace("'You said: '", "(message === 'Thanks' ? process.exit(7) : 'You said: ')"),
    )
    expect(record).toMatchObject({ status: 'failed', error: { kind: 'crash' }, conversation: { ended: 'agent_ended' } })
    expect(record.conversation?.turns).toHaveLength(3)
  })

  test('that does not know the lines has failed, not lost', async () => {
    const { record } = await talk('process.stdin.resume(); console.log("hello"); process.exit(0)')
    expect(record).toMatchObject({ status: 'failed', error: { kind: 'bad_output' } })
  })
})
