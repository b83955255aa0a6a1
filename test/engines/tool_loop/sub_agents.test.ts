/** Sub-agents of a suite on the SDK engines: own instructions and tools, one level, counted in the run. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { findContender } from '../contenders.ts'
import { installed } from '../environment/stage_environment.ts'
import { ofType, openStage, perform, practice } from '../stage.ts'

const reviewer = (more = '') => `---\nname: reviewer\ndescription: Reviews things.\n${more}---\nSUB-INSTRUCTIONS\n`

const call = (prompt = 'PART of the task') => ({
  name: 'Agent',
  input: { description: 'review', prompt, subagent_type: 'reviewer' },
})

/** The sub-agent reads a file and answers; the agent itself calls it once. */
const scenario = JSON.stringify({
  rules: [
    {
      name: 'sub reads',
      when: { system: 'SUB-INSTRUCTIONS', turn: 1 },
      tool_calls: [{ name: 'Read', input: { file_path: 'note.txt' } }],
    },
    { name: 'sub ends', when: { system: 'SUB-INSTRUCTIONS' }, text: 'SUB-ANSWER {{lastResult}}' },
    { name: 'calls', when: { turn: 1 }, tool_calls: [call()] },
    { name: 'ends', text: 'Done. {{lastResult}}' },
  ],
})

interface Setting {
  yaml?: string
  file?: string
  hooks?: object
  more?: Partial<EngineTask>
}

async function ran(name: string, { yaml = scenario, file = reviewer(), hooks, more = {} }: Setting = {}) {
  const contender = findContender(name)
  await using server = await practice(yaml)
  await using stage = await openStage()
  await writeFile(path.join(stage.cwd, 'note.txt'), 'NOTE-CANARY')
  const environment = await installed(stage, {}, { reviewer: file }, hooks)
  const { outcome, events } = await perform(
    contender.engine,
    stage.task({ ...contender.needs(server), environment, ...more }),
  )
  const isOfSub = ({ system }: { system: string }) => system.includes('SUB-INSTRUCTIONS')
  const sub = server.requests.filter(isOfSub)
  const main = server.requests.filter((one) => !isOfSub(one))
  return { outcome, events, sub, main }
}

describe.each(['anthropic', 'openai'])('%s', (name) => {
  test('it works in the same folder, sees only its part, and its answer reaches the agent', async () => {
    const { outcome, events, sub } = await ran(name)
    expect(outcome).toMatchObject({ status: 'completed' })
    expect(outcome.report.finalResponse).toMatch(/^Done\. SUB-ANSWER .*NOTE-CANARY/s)
    expect(JSON.stringify(sub)).toContain('PART of the task')
    expect(JSON.stringify(sub)).not.toContain('greet')
    expect(ofType(events, 'tool_call').map((one) => `${one.step} ${one.name}`)).toEqual(['1 Agent', '2 Read'])
    expect(ofType(events, 'system').map(({ subtype, text }) => [subtype, text])).toContainEqual([
      'sub_agent',
      'reviewer',
    ])
    expect(ofType(events, 'tool_result').at(-1)).toMatchObject({ name: 'Agent', step: 1, is_error: false })
  })
  test('its responses, tokens and cost count in the run', async () => {
    const counted = await ran(name)
    const sum = ofType(counted.events, 'result')[0]
    expect(counted.sub.length + counted.main.length).toBe(4)
    expect(sum?.step).toBe(4)
    const alone = await ran(name, { yaml: scenario.replace('"PART of the task"', '""') })
    expect(alone.sub).toEqual([])
    const tokens = ({ outcome }: typeof counted) => outcome.report.usage?.input_tokens ?? 0
    expect(tokens(counted)).toBeGreaterThan(tokens(alone))
    expect(counted.outcome.report.cost?.usd ?? 0).toBeGreaterThan(alone.outcome.report.cost?.usd ?? 0)
  })
  test.each([
    ['all but the tool that starts one', '', ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep']],
    ['those of its list', 'tools: Read, Grep, WebFetch\n', ['Read', 'Grep']],
    ['those of its list in YAML', 'tools:\n  - Read\n  - Agent\n', ['Read']],
    ['none of the disallowed', 'disallowedTools: Bash, Write, Edit\n', ['Read', 'Glob', 'Grep']],
  ])('its tools: %s', async (_, line, tools) => {
    const { sub, main } = await ran(name, { file: reviewer(line) })
    expect(sub[0]?.tools).toEqual(tools)
    expect(main[0]?.tools).toEqual(['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Agent'])
  })
  test('its turns are the run’s: at the limit it ends, and so does the run', async () => {
    const { outcome, events, sub, main } = await ran(name, { more: { maxTurns: 2 } })
    expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'max_turns' } })
    expect([main.length, sub.length]).toEqual([1, 1])
    expect(ofType(events, 'tool_result').at(-1)).toMatchObject({ name: 'Agent', is_error: true })
  })
  test('at the limit none is started', async () => {
    const { sub, events } = await ran(name, { more: { maxTurns: 1 } })
    expect(sub).toEqual([])
    expect(ofType(events, 'tool_result').at(-1)?.output).toBe('not done: no response is left for it (--max-turns)')
  })
  test('a failure of the provider inside it fails the run, as anywhere', async () => {
    const rule = { name: 'sub', when: { system: 'SUB-INSTRUCTIONS' }, fault: { status: 400, message: 'SUB-FAULT' } }
    const yaml = JSON.stringify({ rules: [rule, { name: 'calls', tool_calls: [call()] }] })
    const { outcome } = await ran(name, { yaml })
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_request' } })
  })
  test('Stop hooks are asked at the end of the run alone, hooks of tools everywhere', async () => {
    const hook = { hooks: [{ type: 'command', command: 'true' }] }
    const { events } = await ran(name, { hooks: { Stop: [hook], PreToolUse: [hook] } })
    expect(ofType(events, 'hook').map(({ event, tool }) => `${event} ${tool ?? ''}`.trim())).toEqual([
      'PreToolUse Agent',
      'PreToolUse Read',
      'Stop',
    ])
  })
  test('negative control: a judge has no sub-agents', async () => {
    const yaml = JSON.stringify({ rules: [{ name: 'ends', text: 'Done.' }] })
    const { main } = await ran(name, { yaml, more: { tools: 'read_only' } })
    expect(main[0]?.tools).toEqual(['Read', 'Glob', 'Grep'])
  })
})
