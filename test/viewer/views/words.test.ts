/** The page has one word for each thing: none of the words that it once had in place of them. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const viewer = path.join(import.meta.dirname, '../../../viewer')
const files = readdirSync(viewer, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))

/** Write: excluded, failed, difference, passes in every run, varies between runs, accepted, differences in setup, agree or disagree, no reviews, previous and next. */
const replaced =
  /in no rate|not all met|met everything|tells? (nothing )?apart|always met|not the same in both|the judge is (right|wrong)|has looked|beside the rates|← before|after →|not made|dearest|(label|text): 'flaky'|>discrimination<|validation said|a claim is about|share of the error/i

function findReplaced(text: string): string[] {
  return text.split('\n').filter((line) => replaced.test(line))
}

test.each(files)('%s', (name) => {
  expect(findReplaced(readFileSync(path.join(viewer, name), 'utf8'))).toEqual([])
})
test('negative control: a replaced word is found', () => {
  expect(findReplaced("{ label: 'In no rate' }\n{ label: 'excluded' }")).toEqual(["{ label: 'In no rate' }"])
  expect(findReplaced("{ label: 'flaky', query }\n{ query: 'is:flaky' }")).toEqual(["{ label: 'flaky', query }"])
})
