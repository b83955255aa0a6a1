/** Finding a structured answer in free text. */
import { expect, test } from 'vitest'
import { lastJsonObject } from '../../../src/engines/answers/json_answer.ts'

test.each([
  ['{"a":1}', { a: 1 }],
  ['Sure:\n```json\n{"a": {"b": [1, "}"]}}\n```\nBye.', { a: { b: [1, '}'] } }],
  ['{"a":1} then {"a":2}', { a: 2 }],
  ['{not json} {"a":1} {nor this}', { a: 1 }],
  ['a "quote {" and {"a":"\\"}"}', { a: '"}' }],
  ['{}', {}],
  ['{"a":1', undefined],
  ['{"a":1} {"b":', { a: 1 }],
  ['[1, 2]', undefined],
  ['', undefined],
  ['{ '.repeat(20_000), undefined],
])('%.60s', (text, value) => expect(lastJsonObject(text)).toEqual(value))
