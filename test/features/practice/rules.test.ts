/** Which rule answers: each condition alone, the order, what named groups take, templates. */
import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { openBench, type Turn, tools } from './bench.ts'

type More = Partial<Anthropic.MessageCreateParamsNonStreaming>

const reminded = '<system-reminder>\nsecret word: apple\n</system-reminder>\nplain words'
const ok: Turn = { call: 'Bash', input: { command: 'ls' }, result: 'a.txt\nb.txt' }
const failed: Turn = { call: 'Bash', input: { command: 'rm x' }, error: 'no such file' }
const read: Turn = { call: 'Read', input: { file_path: '/w/a.txt' }, result: '1\talpha' }
const two = (first: Turn, second: Turn): Turn[] => [{ user: 'x' }, first, second]
const later = (user: string): Turn[] => [{ said: 's' }, { user }]
const [both, alone] = [{ tools: tools('Read', 'Bash') }, { tools: tools('Read') }]

/** `when`, a conversation that fits, one that does not. */
const table: [string, string, [readonly Turn[], More?], [readonly Turn[], More?]][] = [
  ['system', 'system: be \\w+', [[{ user: 'x' }], { system: 'be kind' }], [[{ user: 'x' }], { system: 'be' }]],
  ['system sees reminders', 'system: apple', [[{ user: reminded }]], [[{ user: 'apple' }]]],
  ['user', 'user: ^hello', [[{ user: 'hello' }]], [[{ user: 'oh hello' }]]],
  ['user is the first text', 'user: x', [[{ user: 'x' }, ...later('y')]], [[{ user: 'y' }, ...later('x')]]],
  ['user without reminders', "user: '^plain'", [[{ user: reminded }]], [[{ user: `oh ${reminded}` }]]],
  ['^ and $ fit at lines', "user: '^b$'", [[{ user: 'a\nb\nc' }]], [[{ user: 'a\nbc' }]]],
  ['(?i)', "user: '(?i)HELLO'", [[{ user: 'hello' }]], [[{ user: 'hallo' }]]],
  ['last is user text', 'last: y', [[{ user: 'x' }, ...later('y')]], [[{ user: 'y' }, ...later('x')]]],
  ['last is a tool result', "last: '^a.txt'", [[{ user: 'x' }, ok]], [two(ok, read)]],
  ['result: any so far', 'result: a.txt', [two(ok, read)], [two(read, failed)]],
  ['result_of restricts', '{ result: a, result_of: Read }', [two(ok, read)], [two(ok, ok)]],
  ['result_error: true', 'result_error: true', [two(ok, failed)], [two(failed, ok)]],
  ['result_error needs a result', 'result_error: false', [[{ user: 'x' }, ok]], [[{ user: 'x' }]]],
  ['called', 'called: \'^Bash .*"ls"\'', [[{ user: 'x' }, ok]], [[{ user: 'x' }, failed]]],
  ['not_called', 'not_called: ^Read', [[{ user: 'x' }, ok]], [two(ok, read)]],
  ['turn', 'turn: 2', [[{ user: 'x' }, ok]], [two(ok, ok)]],
  ['turn from', 'turn: { min: 2 }', [two(ok, ok)], [[{ user: 'x' }]]],
  ['tool', 'tool: ^Ba', [[{ user: 'x' }], both], [[{ user: 'x' }], alone]],
  ['no_tool', 'no_tool: ^Ba', [[{ user: 'x' }], alone], [[{ user: 'x' }], both]],
  ['model', 'model: haiku', [[{ user: 'x' }], { model: 'claude-haiku-9' }], [[{ user: 'x' }], { model: 'claude' }]],
  ['all must hold', '{ user: x, turn: 2 }', [[{ user: 'x' }, ok]], [[{ user: 'y' }, ok]]],
]

describe('a condition holds or does not', () => {
  test.each(table)('%s', async (_, when, [fits, fitsWith = {}], [misses, missesWith = {}]) => {
    const flow = when.startsWith('{') ? when : `{ ${when} }`
    await using bench = await openBench(`
rules:
  - { name: a, when: ${flow}, text: 'yes' }
  - { name: b, text: 'no' }`)
    expect(await bench.textOf(fits, fitsWith)).toBe('yes')
    expect(await bench.textOf(misses, missesWith)).toBe('no')
  })
})

describe('rules', () => {
  test.each([
    ['a skill body beside tool results is a result of the Skill tool', 'Skill', ['Skill', 'Bash']],
    ['so is any other text there: of the last tool', 'Bash', ['Bash']],
  ])('%s', async (_, of, names) => {
    await using bench = await openBench(
      `rules: [{ name: a, when: { result_of: ${of}, result: '^run (?<what>.*)' }, text: '{{what}}' }]`,
    )
    const uses = names.map((name) => ({ type: 'tool_use' as const, id: name, name, input: {} }))
    const results = names.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'done' }))
    const answer = await bench.client.messages.create({
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: uses },
        { role: 'user', content: [...results, { type: 'text', text: 'run me.sh' }] },
      ],
    })
    expect(answer.content).toEqual([{ type: 'text', text: 'me.sh' }])
  })
  test('an answer may stand under answer, and give its stop reason', async () => {
    await using bench = await openBench('rules: [{ name: a, answer: { text: cut, stop_reason: max_tokens } }]')
    expect(await bench.say('x')).toMatchObject({ stop_reason: 'max_tokens', content: [{ text: 'cut' }] })
  })
})

const fill = async (text: string, turns: readonly Turn[], when = '{}') => {
  await using bench = await openBench(`rules: [{ name: a, when: ${when}, text: ${JSON.stringify(text)} }]`)
  return await bench.textOf(turns, { system: 'be kind', model: 'm-1', tools: tools('Bash', 'Read') })
}

describe('templates', () => {
  test.each<[string, readonly Turn[], string]>([
    ['{{user}}', [{ user: 'a & <b> "c"' }], 'a & <b> "c"'],
    ['{{results}}', two(ok, read), 'a.txt\nb.txt\n1\talpha'],
    ['{{lastResult}}', two(ok, read), '1\talpha'],
    ['{{system}} {{turn}} {{seed}} {{model}}', [{ user: 'x' }], 'be kind 1 0 m-1'],
    ['{{#each tools}}{{this}};{{/each}}', [{ user: 'x' }], 'Bash;Read;'],
    ['{{json user}}', [{ user: 'a "b"' }], '"a \\"b\\""'],
    ['{{nthLine 1 results}}|{{nthLine -1 results}}|{{nthLine 9 results}}', [{ user: 'x' }, ok], 'a.txt|b.txt|'],
    ['{{find "(\\S+)\\.csv" user}}', [{ user: 'sum a.csv and b.csv' }], 'a'],
    ['{{findLast "\\S+\\.csv" user}}', [{ user: 'sum a.csv and b.csv' }], 'b.csv'],
    ['{{find "\\d+" user "none"}}', [{ user: 'x' }], 'none'],
    ['{{replace "(.)b" "$1c" user}}', [{ user: 'ab xb' }], 'ac xc'],
    ['{{quote user}}', [{ user: "it's" }], `'it'"'"'s'`],
  ])('%s', async (text, turns, expected) => expect(await fill(text, turns)).toBe(expected))
  test('named groups of every condition, the newest result first, the absent ones empty', async () => {
    const when = "{ user: '(?<file>\\w+)\\.csv(?<more>!)?', result: '^(?<n>\\d)' }"
    const turns: Turn[] = [{ user: 'a.csv' }, { call: 'R', result: '1' }, { call: 'R', result: '2' }]
    expect(await fill('{{file}} {{n}} [{{more}}]', turns, when)).toBe('a 2 []')
  })
  test('a name that is not there is a 400 that names the rule', async () => {
    await expect(fill('{{nobody}}', [{ user: 'x' }])).rejects.toThrow(/400.*rule \\"a\\".*nobody/)
  })
})
