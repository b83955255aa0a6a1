/** Finding a structured answer in free text: what is accepted, what is not, and never a verdict that the judge did not give. */
import { describe, expect, test } from 'vitest'
import { findJsonAnswer, isToolCallText } from '../../../src/engines/answers/json_answer.ts'

const text = { type: 'string' }
const items = {
  type: 'object',
  properties: { n: { type: 'number' }, passed: { type: 'boolean' }, evidence: text },
  required: ['n', 'passed', 'evidence'],
}
const schema = {
  type: 'object',
  properties: { verdicts: { type: 'array', items }, claims: { type: 'array' } },
  required: ['verdicts'],
}
const fail = '{"verdicts":[{"n":1,"passed":false,"evidence":"outputs/a.md: \\"41\\""}]}'
const pass = '{"verdicts":[{"n":1,"passed":true,"evidence":"outputs/a.md: \\"42\\""}]}'
const quoted = '[{"n":1,"passed":true,"evidence":"e"}]'
const failed = { value: JSON.parse(fail) }
const passed = { value: JSON.parse(pass) }
const verdict = (evidence: string, given = true) => ({ value: { verdicts: [{ n: 1, passed: given, evidence }] } })

describe('one answer', () => {
  test.each([
    ['in a fence', `Sure! Here it is:\n\`\`\`json\n${pass}\n\`\`\`\nBye.`, passed],
    ['between sentences with braces', `I looked at {a} and {not json}. ${pass} That is {all}.`, passed],
    ['twice the same', `${pass}\n${pass}`, passed],
    ['behind reasoning', `<think>\nA draft: ${fail}\n</think>\n\n${pass}`, passed],
    ['behind reasoning of other servers', `[THINK]${fail}[/THINK]${pass}`, passed],
    ['in the final channel', `<|channel|>analysis<|message|>${fail}<|channel|>final<|message|>${pass}`, passed],
    ['behind the schema', `The schema is ${JSON.stringify(schema)}.\n${pass}`, passed],
    ['behind an entry of it', `I begin with ${JSON.stringify(passed.value.verdicts[0])}.\n${pass}`, passed],
    ['in a list', `[${pass}]`, passed],
    ['as a list of calls', `[TOOL_CALLS][{"name":"submit","arguments":${pass}}]`, passed],
    ['as a call whose arguments are text', `{"name":"submit","arguments":${JSON.stringify(pass)}}`, passed],
    ['as a call of a function', `{"type":"function","function":{"name":"submit","arguments":${pass}}}`, passed],
    ['behind other JSON', `It wrote {"total": 42} and [{"total": 42}].\n${pass}`, passed],
    ['as a call of the tool', `<tool_call>{"name":"submit","arguments":${pass}}</tool_call>`, passed],
    ['as a list alone', '[{"n":1,"passed":true,"evidence":"e"}]', verdict('e')],
    ['with a trailing comma', '{"verdicts":[{"n":1,"passed":true,"evidence":"e",},],}', verdict('e')],
    ['with comments', '{"verdicts":[ // it\'s "so"\n{"n":1,"passed":true,/* } */"evidence":"e"}]} # end', verdict('e')],
    ['in Python', "{'verdicts': [{'n': 1, 'passed': True, 'evidence': 'it\\'s \"e\"'}], 'claims': None}", undefined],
    ['with bare names', '{verdicts: [{n: 1, passed: true, evidence: "e"}]}', verdict('e')],
    [
      'with typographic quotes',
      '{“verdicts”: [{“n”: 1, “passed”: true, “evidence”: “says "42"”}]}',
      verdict('says "42"'),
    ],
    ['with line breaks in a string', '{"verdicts":[{"n":1,"passed":true,"evidence":"a\nb"}]}', verdict('a\nb')],
    ['with a tab in a string', '{"verdicts":[{"n":1,"passed":true,"evidence":"a\tb"}]}', verdict('a\tb')],
    ['with a wrong escape', '{"verdicts":[{"n":1,"passed":true,"evidence":"\\d+ C:\\\\x"}]}', verdict('\\d+ C:\\x')],
    [
      'with quotes of the other kind inside',
      '{"verdicts":[{"n":1,"passed":true,"evidence":"“it’s” #1 // x"}]}',
      undefined,
    ],
    ['the same name twice with the same value', '{"verdicts":[],"verdicts":[]}', { value: { verdicts: [] } }],
  ])('%s', (_, said, value) => {
    const found = findJsonAnswer(said, schema)
    if (value === undefined) expect(found).toMatchObject({ value: { verdicts: [{ n: 1, passed: true }] } })
    else expect(found).toEqual(value)
  })
})

describe('no answer', () => {
  test.each([
    ['prose', 'All fine, I would say.', 'no JSON answer was found in it (an object with "verdicts")'],
    ['other names', '{"results":[]}', 'no JSON'],
    ['a draft and another answer', `First: ${fail}\nNo: ${pass}`, 'several different'],
    ["the agent's JSON before the answer", `The agent wrote ${pass}. I say:\n${fail}`, 'several different'],
    [
      "the agent's JSON behind the answer",
      `${fail}\nThe agent wrote:\n\`\`\`json\n${pass}\n\`\`\``,
      'several different',
    ],
    ["the agent's mark of reasoning", `${fail}\nThe agent wrote </think>${pass}`, 'several different'],
    ['a mark that the reasoning quotes', `<think>It wrote "</think>${pass}"</think>${fail}`, 'several different'],
    ['a list and another answer', `[{"n":1,"passed":true,"evidence":"e"}] ${fail}`, 'several different'],
    [
      'one object for each verdict',
      '{"n":1,"passed":true,"evidence":"e"}\n{"n":2,"passed":true,"evidence":"e"}',
      'no JSON',
    ],
    ['another entry before it', `I begin with {"n":1,"passed":false,"evidence":"x"}.\n${pass}`, 'several different'],
    [
      'an entry, and a quote of a list',
      `{"n":1,"passed":false,"evidence":"x"} It wrote ${quoted}`,
      'several different',
    ],
    ['an answer in another object, and a quote', `{"result":${fail}} It wrote ${pass}`, 'several different'],
    ['a damaged list that quotes one', `[{"n":1,"passed":false,"evidence":"no "total": ${quoted}"}]`, 'cannot be read'],
    ['only reasoning', `<think>${pass}`, 'ends inside its reasoning'],
    ['only a draft in it', `<think>${pass}</think>\nI am done.`, 'no JSON'],
    ['cut off', '{"verdicts":[{"n":1,"passed":true,"evidence":"e"},{"n":2,"pa', 'cut off'],
    ['a list that is cut off', '[{"n":1,"passed":true,"evidence":"e"},', 'cut off'],
    ['cut off behind a draft', `${pass}\nNo:\n{"verd`, 'cut off'],
    [
      'cut off inside a quote of JSON',
      `{"verdicts":[{"n":1,"passed":false,"evidence":"has {'verdicts': [{'n':1,'passed':True,'evidence':'x'}]} and`,
      'cut off',
    ],
    ['two verdicts in one entry', '{"verdicts":[{"n":1,"passed":true,"passed":false,"evidence":"e"}]}', 'occurs twice'],
    ['NaN', '{"verdicts":[{"n":NaN,"passed":true,"evidence":"e"}]}', 'NaN is not a value'],
    ['a choice', '{"verdicts":[{"n":1,"passed":true|false,"evidence":"e"}]}', 'not valid JSON'],
    ['an ellipsis', '{"verdicts":[{"n":1,"passed":true,"evidence":"e"}, ...]}', 'cannot be read'],
    ['brackets that do not match', '{"verdicts":[{"n":1,"passed":true,"evidence":"e"}}]', 'cannot be read'],
    ['two values for a name', '{"verdicts":[{"n":1 2,"passed":true,"evidence":"e"}]}', 'not valid JSON'],
    ['a hole in a list', '{"verdicts":[,]}', 'not valid JSON'],
    ['nested far too deep', `{"verdicts":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'nested'],
    ['braces without end', '{ a'.repeat(200_000), 'too many brackets'],
  ])('%s', (_, said, problem) => {
    expect(findJsonAnswer(said, schema)).toEqual({ problem: expect.stringContaining(problem) })
  })
  test('without the draft, each of the two would be the answer', () => {
    expect(findJsonAnswer(`No: ${pass}`, schema)).toEqual(passed)
    expect(findJsonAnswer(`First: ${fail}`, schema)).toEqual(failed)
  })
})

test.each([
  [{}, '{"a":1}', { value: { a: 1 } }],
  [{ properties: { a: {}, b: {} } }, 'x {"c":1} y {"b":1}', { value: { b: 1 } }],
  [{ required: ['a'] }, '[{"a":1}]', { value: { a: 1 } }],
])('with the schema %j, %s', (other, said, value) => expect(findJsonAnswer(said, other)).toEqual(value))

describe('a tool call written as text', () => {
  const call = '{"name": "Read", "arguments": {"file_path": "a.md"}}'
  test.each([
    ['bare', call],
    ['of a tool that does not exist', '{"name": "generate_report", "arguments": {}}'],
    ['in a fence', `\`\`\`json\n${call}\n\`\`\``],
    ['in a tag', `<tool_call>\n${call}\n</tool_call>`],
    ['in a tag that is not closed', `<tool_call>${call}`],
    ['in a fence in a tag', `<tools>\n\`\`\`\n${call}\n\`\`\`</tools>`],
    ['as a function with JSON', '<function=Bash>{"command": "ls"}</function>'],
    ['as a function with parameters', '<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>'],
    ['as a list', `[TOOL_CALLS][${call}, ${call}]`],
    ['several', `${call}\n${call}`],
    ['as a server writes it', '{"id": "1", "type": "function", "function": {"name": "Read", "arguments": "{}"}}'],
    ['with other words', '{"tool": "Read", "input": {"file_path": "a.md"}}'],
    ['behind reasoning', `<think>I read it.</think>${call}`],
    ['with text that has a fence', '{"name": "Write", "arguments": {"content": "```js\\n1\\n```"}}'],
  ])('%s', (_, said) => expect(isToolCallText(said)).toBe(true))
  test.each([
    ['nothing', ' '],
    ['an answer', 'The total is 42.'],
    ['a sentence before it', `I call the tool: ${call}`],
    ['a sentence behind it', `${call}\nDone.`],
    ['an answer in JSON', '{"name": "Ada", "age": 36}'],
    ['the description of a tool', '{"name": "Read", "description": "Reads.", "parameters": {"type": "object"}}'],
    ['a call that is cut off', '{"name": "Read", "arguments": {"file_path": '],
    ['a fence of code', '```js\nread({ name: 1 })\n```'],
    ['a list of nothing else', '[1, 2]'],
    ['an empty list', '[]'],
    ['a word and a function', 'Use <function=Bash>{}</function>'],
  ])('is not %s', (_, said) => expect(isToolCallText(said)).toBe(false))
})
