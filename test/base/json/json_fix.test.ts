/** A syntax error in JSON names line and column, and what to do there. */
import { expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { parseJson } from '../../../src/base/json/json.ts'

test.each([
  ['{"a": 1,}', '1:9', 'remove the comma before "}"'],
  ['[1,\n]', '2:1', 'remove the comma before "]"'],
  ['[1,,2]', '1:4', 'remove one of the two commas'],
  ["{'a': 1}", '1:2', 'use double quotes instead of single quotes'],
  ['{\n  // a\n  "a": 1}', '2:3', 'remove the comment: JSON has no comments'],
  ['{"a" 1}', '1:6', 'add a colon after the name'],
  ['{"a": 1 "b": 2}', '1:9', 'add a comma there, or close the bracket'],
  ['{a: 1}', '1:2', 'put the name in double quotes'],
  ['{"a": "x\ny"}', '1:9', 'write \\n instead of a line break, \\t instead of a tab'],
  ['{"a": "\\q"}', '1:9', 'write \\\\ for a backslash'],
  ['{"a": "b}', '1:10', 'close the quote'],
  ['{"a": 1}}', '1:9', 'remove the text after the end of the value'],
  ['{"a": [', '1:8', 'add what is missing at the end, such as a closing bracket'],
  ['{"a": yes}', '1:7', 'put text in double quotes; without them only true, false, null and numbers are valid'],
  ['<html>', '1:1', 'remove or replace "<" there'],
  ['', '1:1', 'write a JSON value there, such as {}'],
])('%j at %s: %s', (text, place, fix) => {
  const error = thrownBy(() => parseJson(text, 'a.json'))
  expect([error.message.split(': ')[0], error.fix]).toEqual([`a.json:${place}`, fix])
})

function thrownBy(work: () => unknown): UserError {
  try {
    work()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
