/** Mistakes in a scenario are told with file, line, field and what may have been meant. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorMessage, UserError } from '../../../../src/base/errors/error.ts'
import { loadScenario, parseScenario } from '../../../../src/features/practice/scenario/scenario.ts'

function mistakeIn(text: string): string {
  try {
    parseScenario(text, 'x.yaml')
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(UserError)
    return errorMessage(error)
  }
}

const toolInput = (input: string) => rule(`tool_calls: [{ name: T, input: ${input} }]`)
const rule = (body: string) => `rules:\n  - name: a\n    text: x\n    ${body}\n`

describe('a mistake is told', () => {
  test.each([
    ['no YAML', 'rules: [', 'x.yaml:1:9: not valid YAML'],
    ['no mapping', '- a', 'x.yaml:1: the scenario: must be an object with schema_version, rules'],
    [
      'a mistyped field',
      'rules: []\nlatancy: 5',
      'x.yaml:1: the scenario: unknown key "latancy"; did you mean "latency"?',
    ],
    [
      'a mistyped condition',
      rule('when: { usr: x }'),
      'x.yaml:4: rules[0].when: unknown key "usr"; did you mean "user"?',
    ],
    ['a bad regex', rule('when:\n      user: "(a"'), 'x.yaml:5: rules[0].when.user: Invalid regular expression'],
    ['a group named as a helper', rule('when: { user: "(?<json>a)" }'), '"json" is the name of a template helper'],
    ['a bad template', 'rules: [{ name: a, text: "{{#if x}}" }]', 'rules[0].text: not a template: Parse error'],
    ['a template in an input', toolInput('{ a: ["{{"] }'), 'rules[0].tool_calls[0].input.a[0]: not a template'],
    ['an operator beside a key', toolInput('{ a: { $number: "1", b: 1 } }'), 'input.a: unknown key "b"'],
    ['nothing to give', 'rules: [{ name: a }]', 'rules[0]: needs text, tool_calls or a fault'],
    ['two places', 'rules: [{ name: a, text: x, answer: { text: y } }]', 'rules[0]: answers in two places'],
    ['no name', 'rules: [{ text: x }]', 'rules[0].name: must be a name'],
    [
      'two of a name',
      'rules:\n- { name: a, text: x }\n- { name: a, text: y }',
      'x.yaml:3: rules[1].name: another rule is',
    ],
    ['a fault of no kind', rule('fault: { first: 1 }'), 'must have exactly one of status, cut, malformed, stall, hang'],
    ['a status that is none', rule('fault: { status: 200 }'), 'rules[0].fault.status'],
    ['an unknown latency', rule('latency: { normal: [1, 2] }'), 'rules[0].latency: unknown key "normal"'],
    ['a bad seed', rule('when: { seed: { mod: 0, in: [0] } }'), 'rules[0].when.seed.mod'],
  ])('%s', (_, text, expected) => expect(mistakeIn(text)).toContain(expected))
  test('up to five at once, each on its line', () => {
    const wrong = Array.from({ length: 7 }, (_, at) => `  - { name: r${at}, txt: x }`).join('\n')
    const told = mistakeIn(`rules:\n${wrong}`).split('\n')
    expect(told.map((line) => line.slice(0, 9))).toEqual([2, 3, 4, 5, 6].map((line) => `x.yaml:${line}:`))
  })
  test('a file that is not there', async () => {
    await expect(loadScenario('/nowhere/x.yaml')).rejects.toThrow('/nowhere/x.yaml: no such file')
  })
})

test('a file with anchors is read', async () => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'scenario-')), 'x.yaml')
  await writeFile(file, 'rules:\n  - { name: a, when: { turn: 1 }, text: &t hello }\n  - { name: b, text: *t }\n')
  const { rules } = await loadScenario(file)
  expect(rules.map(({ name, answer }) => [name, answer?.text?.source])).toEqual([
    ['a', 'hello'],
    ['b', 'hello'],
  ])
})
