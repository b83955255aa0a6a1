/** Checks of the sequence of tool calls: order, allowed and forbidden tools, limits, loops, and engines that hide their tools. */
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { isConductCheck } from '../../../src/phases/3-judge/checks/inputs/events.ts'
import { failed, passed, sceneWith } from './scene.ts'

const at = '2026-01-15T10:30:00Z'

/** Events of these calls: a name, or a name with its input. Words of the agent come between them. */
function callsOf(...calls: readonly (string | readonly [string, object])[]): TranscriptEvent[] {
  return calls.flatMap((one, index): TranscriptEvent[] => {
    const [name, input] = typeof one === 'string' ? [one, { n: index }] : one
    const id = String(index)
    return [
      { type: 'assistant', at, step: index + 1, text: 'next' },
      { type: 'tool_call', at, step: index + 1, id, name, input: JSON.parse(JSON.stringify(input)) },
      { type: 'tool_result', at, step: index + 1, id, name, output: 'ok', is_error: false },
    ]
  })
}

const decide = async (check: object, events: TranscriptEvent[], showsTools = true) =>
  decideCheck(checkSchema.parse(check), await sceneWith({}, { events: async () => events, showsTools }))
const undecided = { error: expect.stringContaining('does not report which tools') }

const readBashWrite = callsOf('Read', ['Bash', { command: 'npm test' }], 'Write')

describe('tool_order', () => {
  type Row = [mode: string | undefined, tools: unknown[], calls: TranscriptEvent[], verdict: object]
  const rows: Row[] = [
    [
      'exact',
      ['Read', 'Bash', 'Write'],
      readBashWrite,
      passed('exactly the calls of the list; calls: Read, Bash, Write'),
    ],
    ['exact', ['read', 'b*', 'Write'], readBashWrite, passed('exactly')],
    ['exact', ['Read', 'Bash'], readBashWrite, failed('3 calls, not 2')],
    ['exact', ['Read', 'Bash', 'Write', 'Edit'], readBashWrite, failed('call 4 is not Edit (3 calls, not 4)')],
    [undefined, ['Read', 'Write'], readBashWrite, passed('occur in this order')],
    ['in_order', ['Read', 'Read'], readBashWrite, failed('no call of Read')],
    ['in_order', ['Read', { name: 'Bash', input: '^npm' }], readBashWrite, passed('in this order')],
    ['in_order', ['Read', { name: 'Bash', input: '^yarn' }], readBashWrite, failed('no call of Bash')],
    ['in_order', [{ name: '*', input_json: '"command":"npm' }, 'Write'], readBashWrite, passed('in this order')],
    ['in_order', [{ name: 'Bash', args: { command: 'npm test' } }], readBashWrite, passed('in this order')],
    ['in_order', [{ name: 'Bash', args: { command: 'npm' } }], readBashWrite, failed('no call of Bash')],
    ['first_in_order', ['Read', 'Write'], callsOf('Read', 'Write', 'Read'), passed('first calls are in this order')],
    [
      'first_in_order',
      ['Read', 'Write'],
      callsOf('Write', 'Read', 'Write'),
      failed('first call of Write (transcript.jsonl:2)'),
    ],
    ['first_in_order', ['Read', 'Write'], callsOf('Read'), failed('no call of Write')],
    ['superset', ['Write', 'Read'], readBashWrite, passed('every entry has a call')],
    ['superset', ['*', 'Read', '*'], callsOf('Read', 'Bash'), failed('no call of its own')],
    ['superset', ['Edit', 'Read', 'Grep'], readBashWrite, failed('no call of its own for Edit, Grep')],
    ['subset', ['Read', 'Bash', 'Write', 'Edit'], readBashWrite, passed('every call is one of the list')],
    ['subset', ['Read', 'Write'], readBashWrite, failed('transcript.jsonl:5: Bash is not of the list')],
    ['subset', ['Read'], [], passed('calls: none')],
  ]
  test.each(rows)('%s %j', async (mode, tools, calls, verdict) => {
    expect(await decide({ type: 'tool_order', ...(mode && { mode }), tools }, calls)).toEqual(verdict)
  })
  test.each<Row>([
    ['exact', ['Read', 'Bash', 'Write'], readBashWrite, undecided],
    ['exact', ['Read', 'Edit', 'Bash', 'Write'], readBashWrite, undecided],
    ['exact', ['Write', 'Bash', 'Read'], readBashWrite, failed('call 1 is not Write')],
    ['exact', ['Read', 'Bash'], readBashWrite, failed('3 calls, not 2')],
    ['in_order', ['Read', 'Write'], readBashWrite, passed('in this order')],
    ['in_order', ['Write', 'Read'], readBashWrite, undecided],
    ['first_in_order', ['Read', 'Write'], readBashWrite, undecided],
    ['superset', ['Edit'], readBashWrite, undecided],
    ['subset', ['Read'], readBashWrite, failed('Bash is not of the list')],
    ['subset', ['*'], readBashWrite, undecided],
  ])('an engine that hides its tools: %s %j', async (mode, tools, calls, verdict) => {
    expect(await decide({ type: 'tool_order', mode, tools }, calls, false)).toEqual(verdict)
  })
  test('evidence stays short', async () => {
    const many = callsOf(...Array.from({ length: 40 }, (_, index) => `tool_${index}`), 'Bash', 'Bash', 'Bash')
    const verdict = await decide({ type: 'tool_order', tools: ['Bash'] }, many)
    expect(verdict).toEqual(passed('tool_0, tool_1'))
    expect(verdict).toEqual(passed('tool_11 and 29 more'))
    expect(await decide({ type: 'tool_order', tools: ['Bash'] }, callsOf('Bash', 'Bash', 'Read'))).toEqual(
      passed('calls: Bash ×2, Read'),
    )
  })
  test('a pattern that cannot be evaluated leaves it undecided', async () => {
    const check = { type: 'tool_order', tools: ['Read', { name: 'Bash', input: '(' }] }
    expect(await decide(check, readBashWrite)).toEqual({ error: expect.stringContaining('could not be evaluated') })
  })
})

describe('tool_not_used with a list of names', () => {
  test.each<[unknown, boolean, object]>([
    [['Edit', 'WebFetch'], true, passed('no such call; tools used: Read, Bash, Write')],
    [['Edit', 'write'], true, failed('transcript.jsonl:8: Write')],
    [['Edit', 'B*'], false, failed('transcript.jsonl:5: Bash')],
    [['Edit'], false, undecided],
  ])('%j %s', async (name, showsTools, verdict) => {
    expect(await decide({ type: 'tool_not_used', name }, readBashWrite, showsTools)).toEqual(verdict)
  })
})

describe('tool_calls_at_most', () => {
  test.each<[object, boolean, object]>([
    [{ value: 3 }, true, passed('3 calls; tools used: Read, Bash, Write')],
    [{ value: 2 }, true, failed('3 calls, more than 2; the first too many: transcript.jsonl:8: Write')],
    [{ value: 0, name: 'Bash', input: 'curl' }, true, passed('0 calls')],
    [{ value: 0, input: 'npm' }, true, failed('transcript.jsonl:5: Bash')],
    [{ value: 2 }, false, failed('more than 2')],
    [{ value: 3 }, false, undecided],
  ])('%j %s', async (check, showsTools, verdict) => {
    expect(await decide({ type: 'tool_calls_at_most', ...check }, readBashWrite, showsTools)).toEqual(verdict)
  })
})

describe('no_loop', () => {
  const ls = ['Bash', { command: 'ls', cwd: '/' }] as const
  const turned = ['Bash', { cwd: '/', command: 'ls' }] as const
  const other = ['Bash', { command: 'pwd' }] as const
  test.each<[object, TranscriptEvent[], boolean, object]>([
    [{}, callsOf(ls, ls, ls), true, passed('longest row: 3 in a row, from transcript.jsonl:2: Bash')],
    [{}, callsOf(ls, turned, ls, ls), true, failed('4 in a row, from transcript.jsonl:2: Bash')],
    [{ max_repeats: 2 }, callsOf(ls, ls, other, ls, ls), true, passed('2 in a row')],
    [{}, [], true, passed('no calls')],
    [{}, callsOf(ls, ls, ls, ls), false, failed('4 in a row')],
    [{}, callsOf(ls), false, undecided],
  ])('%j', async (check, events, showsTools, verdict) => {
    expect(await decide({ type: 'no_loop', ...check }, events, showsTools)).toEqual(verdict)
  })
})

test.each<[object, boolean]>([
  [{ type: 'tool_order', tools: ['Read'] }, true],
  [{ type: 'tool_calls_at_most', value: 1 }, true],
  [{ type: 'no_loop' }, true],
  [{ type: 'contains', value: 'x', target: 'transcript' }, true],
  [{ type: 'contains', value: 'x' }, false],
])('%j is of the conduct: %s', (check, isConduct) => expect(isConductCheck(checkSchema.parse(check))).toBe(isConduct))
