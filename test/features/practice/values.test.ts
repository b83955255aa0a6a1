/** Values in a tool call's input: constants, templates and operators, and the generic judge they are for. */
import { describe, expect, test } from 'vitest'
import { callsIn, messagesOf, openBench, type Turn, tools } from './bench.ts'

const read = (file: string, text: string): Turn => ({
  call: 'Read',
  input: { file_path: file },
  result: text
    .split('\n')
    .map((line, at) => `${at + 1}\t${line}`)
    .join('\n'),
})

const turns: Turn[] = [
  { user: 'Judge:\n1. out.md says `Total: 5` and `VAT: 1`\n2. all is well' },
  { call: 'Glob', result: '/w/outputs/out.md\n/w/outputs/b.csv' },
  read('/w/transcript.md', 'said Total: 5\nsaid VAT: 1'),
  read('/w/outputs/out.md', 'head\nTotal: 5\n\tVAT: 1 →'),
]

/** The input that a call gets whose `value` is written so. */
async function computed(written: string, given: readonly Turn[] = turns): Promise<unknown> {
  await using bench = await openBench(`rules: [{ name: a, tool_calls: { name: T, input: { value: ${written} } } }]`)
  const messages = given.flatMap(messagesOf)
  const answer = await bench.client.messages.create({ model: 'm', max_tokens: 9, messages, tools: tools('T') })
  const input = callsIn(answer)[0]?.input
  return input !== null && typeof input === 'object' && 'value' in input ? input.value : undefined
}

const needle = (of: string, more = '') => `needles: '\`([^\`]+)\`', of: '${of}'${more}`

describe('a value', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ["'turn {{turn}}'", 'turn 4'],
    ["['{{turn}}', { a: ['{{turn}}', 1] }]", ['4', { a: ['4', 1] }]],
    ["{ $number: ' {{turn}} ' }", 4],
    ["{ $each: { in: user, match: '^(?<n>\\d+)\\. ', as: '{{n}}' } }", ['1', '2']],
    ["{ $each: { in: results, match: '\\S+\\.md$', as: x } }", ['x']],
    ["{ $each: { in: lastResult, match: '(?<w>Total|VAT)', as: '{{w}}' } }", ['Total', 'VAT']],
    ["{ $each: { in: '{{turn}}{{turn}}', match: '4', as: x } }", ['x', 'x']],
    [`{ $found: { ${needle('`Total: 5` `VAT: 1`')} } }`, true],
    [`{ $found: { ${needle('`Total: 5` `VAT: 2`')} } }`, false],
    [`{ $found: { ${needle('`head`', ', in: results')} } }`, true],
    [`{ $found: { ${needle('`head`', ', from: transcript.md')} } }`, false],
    [`{ $found: { ${needle('`head`', ', from: out.md')} } }`, true],
    [`{ $found: { ${needle('`all is well`', ', in: user')} } }`, true],
    [`{ $found: { ${needle('none')} } }`, true],
    [`{ $found: { ${needle('none', ', if_none: false')} } }`, false],
    [`{ $line: { ${needle('`VAT`', ', from: outputs/')} } }`, 'VAT: 1 →'],
    [`{ $line: { ${needle('`VAT: 1` `gone`')} } }`, 'nothing that was read contains gone'],
    [`{ $line: { ${needle('`gone`', ", otherwise: 'no {{missing}} in {{turn}}'")} } }`, 'no gone in 4'],
    [`{ $line: { ${needle('`head`', ', as: \'{{path}}: "{{line}}"\'')} } }`, '/w/outputs/out.md: "head"'],
    [`{ $line: { ${needle('no needle')} } }`, 'VAT: 1 →'],
  ])('%s', async (written, expected) => expect(await computed(written)).toEqual(expected))
  test('$number of what is none is a 400', async () => {
    await expect(computed("{ $number: 'x{{turn}}' }")).rejects.toThrow(/400.*is not a number/)
  })
  test('$line with nothing read and nothing to look for', async () => {
    expect(await computed(`{ $line: { ${needle('x')} } }`, [{ user: 'x' }])).toBe('nothing that was read contains')
  })
})

describe('tool calls', () => {
  const ask = async (calls: string, ...offered: string[]) => {
    await using bench = await openBench(`rules: [{ name: a, tool_calls: ${calls} }]`)
    return callsIn(await bench.say('f.csv g.csv Grep', { tools: tools(...offered) }))
  }
  test.each<[string, string[], { name: string; input: unknown }[]]>([
    ['{ name: A }', ['A'], [{ name: 'A', input: {} }]],
    ['[{ name: A }, { name: B }]', ['A', 'B'], ['A', 'B'].map((name) => ({ name, input: {} }))],
    ['{ name: \'{{find "G\\w+" user}}\' }', ['Grep'], [{ name: 'Grep', input: {} }]],
    [
      "{ $each: { in: user, match: '(?<f>\\w)\\.csv', as: { name: R, input: { file: '{{f}}' } } } }",
      ['R'],
      ['f', 'g'].map((file) => ({ name: 'R', input: { file } })),
    ],
  ])('%s', async (calls, offered, expected) => expect(await ask(calls, ...offered)).toEqual(expected))
  test('a tool that is not offered is a 400 that names those that are', async () => {
    await expect(ask('{ name: [C, D] }', 'A', 'B')).rejects.toThrow(/400.*calls C or D, which .*offered: A, B/)
  })
  test('no call and no text: an empty message that ends the turn', async () => {
    await using bench = await openBench(
      'rules: [{ name: a, tool_calls: { $each: { in: user, match: z, as: { name: A } } } }]',
    )
    expect(await bench.say('x', { tools: tools('A') })).toMatchObject({ content: [], stop_reason: 'end_turn' })
  })
})
