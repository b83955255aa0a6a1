/** Checks of how the agent worked: what passes, fails, and what an engine that shows nothing leaves undecided. */
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import type { ProgramCall } from '../../../schemas/program.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { decideByChecks } from '../../../src/phases/3-judge/grade/decisions.ts'
import { record } from '../../fixtures/record.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'
import { failed, passed, sceneWith, undecided, workOf } from './scene.ts'

const at = '2026-01-15T10:30:00Z'
const call = (id: string, name: string, input: object): TranscriptEvent[] => [
  { type: 'tool_call', at, step: 1, id, name, input: JSON.parse(JSON.stringify(input)) },
  { type: 'tool_result', at, step: 1, id, name, output: 'ok', is_error: false },
]
const script = '.claude/skills/sums/scripts/add.py'
const events = [
  ...call('1', 'Bash', { command: 'ls -la' }),
  ...call('2', 'Bash', { command: `python ${script} "a.csv"` }),
  ...call('3', 'mcp__tickets__find', { query: { text: 'open', limit: 5 } }),
  ...call('4', 'shell', { command: ['rm', '-rf', 'out'] }),
]
const decide = async (check: object, changes: Partial<CheckContext> = {}) =>
  decideCheck(checkSchema.parse(check), await sceneWith({}, { events: async () => events, ...changes }))

describe('tool_used', () => {
  const rows: [object, object][] = [
    [{ name: 'Bash' }, passed('2 calls; transcript.jsonl:1: Bash {"command":"ls -la"}')],
    [{ name: 'mcp__*' }, passed('transcript.jsonl:5: mcp__tickets__find')],
    [{ name: 'm*_*_*d' }, passed('1 calls')],
    [{ name: 'Bas' }, failed('no such call; tools used: Bash, mcp__tickets__find, shell; wanted: at least 1')],
    [{ name: 'Bash', times: { max: 1 } }, failed('2 calls; transcript.jsonl:1')],
    [{ name: 'Bash', times: { min: 3 } }, failed('wanted: at least 3')],
    [{ name: 'Bash', input: 'python .*\\.csv' }, passed('1 calls; transcript.jsonl:3')],
    [{ name: 'mcp__*', input: '^5$' }, passed('1 calls')],
    [{ name: 'shell', input: '^rm -rf' }, passed('1 calls')],
    [{ name: 'Bash', input_json: '^\\{"command":"ls' }, passed('1 calls; transcript.jsonl:1')],
    [{ name: 'Bash', input: '^ls', input_json: 'python' }, failed('no such call')],
  ]
  test.each(rows)('%j', async (check, verdict) =>
    expect(await decide({ type: 'tool_used', ...check })).toEqual(verdict),
  )
  test('an engine that shows nothing leaves it undecided, unless what it did show is enough', async () => {
    const hidden = { showsTools: false }
    expect(await decide({ type: 'tool_used', name: 'Bash' }, hidden)).toEqual(passed('2 calls'))
    expect(await decide({ type: 'tool_used', name: 'Write' }, hidden)).toEqual(undecided('does not report'))
    const most = { type: 'tool_used', name: 'Bash', times: { max: 5 } }
    expect(await decide(most, hidden)).toEqual(undecided('does not report'))
  })
  test('a name of very many stars ends', async () => {
    const long = call('1', 'a'.repeat(5000), {})
    expect(await decide({ type: 'tool_used', name: `${'*a'.repeat(30)}b` }, { events: async () => long })).toEqual(
      failed('no such call'),
    )
  })
})

test.each<[object, Partial<CheckContext>, object]>([
  [{ name: 'Write' }, {}, passed('no such call; tools used: Bash')],
  [{ name: 'shell', input: 'rm' }, {}, failed('transcript.jsonl:7: shell {"command":["rm"')],
  [{ name: 'shell' }, { showsTools: false }, failed('transcript.jsonl:7')],
  [{ name: 'Write' }, { showsTools: false }, undecided('does not report')],
])('tool_not_used %j %j', async (check, changes, verdict) => {
  expect(await decide({ type: 'tool_not_used', ...check }, changes)).toEqual(verdict)
})

describe('skill_read', () => {
  const read = (state: boolean | null) => ({
    record: { ...workOf([]), skill: { offered: true, read: state, read_at_step: state ? 2 : null } },
  })
  test.each<[Partial<CheckContext>, object]>([
    [read(true), passed('its SKILL.md was read at step 2')],
    [read(false), failed('was not read')],
    [read(null), undecided('does not report')],
    [{ ...read(null), skill: { name: 'sums', installed: false } }, failed('did not have this skill')],
  ])('%j', async (changes, verdict) => expect(await decide({ type: 'skill_read' }, changes)).toEqual(verdict))
  test.each([true, false])('read: false asks for the other way: %j', async (state) => {
    expect(await decide({ type: 'skill_read', read: false }, read(state))).toMatchObject({ passed: !state })
  })
})

describe('script_executed', () => {
  const rows: [object, Partial<CheckContext>, object][] = [
    [{}, {}, passed('transcript.jsonl:3: scripts/add.py was started')],
    [{ script: 'scripts/*.py' }, {}, passed('scripts/add.py')],
    [{ script: 'scripts/sub.py' }, {}, failed('scripts of the skill that were: scripts/add.py')],
    [{}, { skill: { name: 'other', installed: true } }, failed('scripts of the skill that were: nothing')],
    [{}, { skill: { name: 'sums', installed: false } }, failed('did not have this skill')],
    [{}, { skill: null }, undecided('unknown')],
    [{}, { showsTools: false, events: async () => [] }, undecided('does not report')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'script_executed', ...check }, changes)).toEqual(verdict)
  })
  test('a call that a hook blocked, or that has no end, started nothing', async () => {
    const [begin, end] = call('1', 'Bash', { command: `python ${script}` })
    if (begin === undefined || end === undefined) throw new Error('no call')
    const hook = (outcome: string): TranscriptEvent => ({
      ...{ type: 'hook', at, step: 1, event: 'PreToolUse', tool: 'Bash', outcome, text: '' },
    })
    const check = { type: 'script_executed' }
    expect(await decide(check, { events: async () => [begin, hook('blocked'), end] })).toEqual(failed('no command'))
    expect(await decide(check, { events: async () => [begin] })).toEqual(failed('no command'))
    expect(await decide(check, { events: async () => [begin, hook('ok'), end] })).toEqual(passed('add.py'))
  })
})

describe('limits', () => {
  const without = (part: object) => ({ record: { ...workOf([]), ...part } })
  const rows: [object, Partial<CheckContext>, object][] = [
    [{ type: 'turns_at_most', value: 3 }, {}, passed('run.json: 3 turns')],
    [{ type: 'turns_at_most', value: 2 }, {}, failed('3 turns, more than 2')],
    [{ type: 'turns_at_most', value: 2 }, { showsTools: false }, undecided('does not report')],
    [{ type: 'tokens_at_most', value: 100 }, {}, passed('100 tokens')],
    [{ type: 'tokens_at_most', value: 99 }, {}, failed('100 tokens, more than 99')],
    [{ type: 'tokens_at_most', value: 99 }, without({ usage: null }), undecided('does not report tokens')],
    [{ type: 'cost_at_most', value: 0.02 }, {}, passed('0.02 US dollars')],
    [{ type: 'cost_at_most', value: 0.01 }, {}, failed('more than 0.01')],
    [{ type: 'cost_at_most', value: 1e6 }, without({ cost: null }), undecided('unknown')],
    [{ type: 'duration_at_most', value: 12.5 }, {}, passed('12.5 s')],
    [{ type: 'duration_at_most', value: 12 }, {}, failed('12.5 s, more than 12')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => expect(await decide(check, changes)).toEqual(verdict))
})

describe('program_called', () => {
  const calls: ProgramCall[] = [
    { phase: 'setup', program: 'gh', args: ['auth', 'status'] },
    { phase: 'agent', program: 'gh', args: ['pr', 'list', '--state', 'open'] },
    { phase: 'agent', program: 'gh', args: ['pr', 'view', '7'] },
  ]
  test.each<[object, ProgramCall[] | null, object]>([
    [{ program: 'gh' }, calls, passed('2 such calls; gh pr list --state open')],
    [{ program: 'gh', args: '^pr view \\d+$' }, calls, passed('1 such call; gh pr view 7')],
    [
      { program: 'gh', args: 'auth' },
      calls,
      failed('no such call; calls: gh pr list --state open; gh pr view 7; want'),
    ],
    [{ program: 'helm' }, calls, failed('helm was not called; wanted: at least 1')],
    [{ program: 'gh', times: { max: 1 } }, calls, failed('wanted: at most 1')],
    [{ program: 'gh', args: 'delete', times: { equals: 0 } }, calls, passed('no such call')],
    [{ program: 'gh', times: { equals: 0 } }, null, undecided('no record of calls')],
  ])('%j', async (check, made, verdict) => {
    expect(await decide({ type: 'program_called', ...check }, { programCalls: async () => made })).toEqual(verdict)
  })
})

test('a transcript that is not there is no verdict', async () => {
  const events = async () => Promise.reject(new Error('transcript.jsonl: no such file'))
  for (const check of [
    { type: 'tool_used', name: 'x' },
    { type: 'tool_not_used', name: 'x' },
    { type: 'script_executed' },
  ])
    expect(await decide(check, { events })).toEqual(undecided('no such file'))
})

test('that the skill was at hand is an indicator, unless a check counts the reading', async () => {
  const own = [{ type: 'skill_read' }, { type: 'script_executed' }, { type: 'tool_used', name: 'Bash' }]
  const checks = [...own, { type: 'skill_read', read: false, indicator: false }].map((one) => checkSchema.parse(one))
  const decided = await decideByChecks(suiteCase({ checks }), await sceneWith({}, { events: async () => events }))
  expect(decided.expectations.map(({ indicator }) => indicator)).toEqual([true, true, undefined, false])
  const timedOut = record({ status: 'timed_out' })
  const late = await decideByChecks(suiteCase({ checks }), await sceneWith({}, { record: timedOut }))
  expect(late.expectations.map(({ indicator }) => indicator)).toEqual([true, true, undefined, false])
})
