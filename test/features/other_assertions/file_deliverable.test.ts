/** Where a foreign check of a text looks: in the answer, or in the output files too if they are what the case asks for. */
import { expect, test } from 'vitest'
import { saysToWrite } from '../../../src/phases/1-plan/formats/evals_json/judging.ts'
import { loadCase } from '../../phases/1-plan/folder.ts'

const contains = { type: 'contains', value: 'fetch(' }
const check = async (part: object, item: object = contains) => {
  const read = await loadCase({ id: 1, prompt: 'Explain it.', assertions: [item], ...part })
  return { check: read.case.checks[0], warnings: read.warnings }
}

test.each<[string, boolean]>([
  ['Write a function to src/sums.js', true],
  ['Save it as summary.md.', true],
  ['Creates a `.sv` file containing a module', true],
  ['The report is written to report.html', true],
  ['Generate the page. Put it into one file.', false],
  ['Read data.csv and explain it', false],
  ['Write a summary of the meeting.', false],
  ['Write to me at a@example.com', false],
  ['Write a haiku! Then read data.csv', false],
  ['', false],
])('%j says to write a file: %s', (text, is) => expect(saysToWrite(text)).toBe(is))

test.each<[object, string]>([
  [{ prompt: 'Write src/load.js that loads the page.' }, 'the prompt asks for a file'],
  [{ expected_output: 'Creates load.js with a function' }, 'the expected output says to write a file'],
  [{ output_file: 'load.js' }, 'the case has "output_file"'],
  [{ expected_files: ['load.js'] }, 'the case has "expected_files"'],
])('%j: the files too', async (part, why) => {
  const read = await check(part)
  expect(read.check).toEqual({ ...contains, target: 'answer_or_outputs' })
  expect(read.warnings).toContainEqual(
    expect.stringMatching(new RegExp(`contains, in the final answer or an output file, because ${why}`)),
  )
})

test.each<[object]>([[{}], [{ files: [] }], [{ expected_files: [] }], [{ expected_output: 'A short text' }]])(
  '%j: the answer alone',
  async (part) => {
    const read = await check(part)
    expect(read.check).toEqual(contains)
    expect(read.warnings).toContainEqual(expect.stringContaining('contains, in the final answer'))
  },
)

const asked = { prompt: 'Write src/load.js that loads the page.' }
test.each<[object, object, string]>([
  [
    { type: 'regex', pattern: 'fetch' },
    { type: 'regex', pattern: 'fetch', target: 'answer_or_outputs' },
    'or an output file',
  ],
  [
    { type: 'not_contains', value: 'axios' },
    { type: 'not_contains', value: 'axios', target: 'answer_or_outputs' },
    'in the final answer and in all output files',
  ],
  [{ type: 'contains', value: 'x', target: 'output' }, { type: 'contains', value: 'x' }, 'in the final answer'],
  [{ type: 'contains', value: 'x', target: 'files' }, { type: 'contains', value: 'x', target: 'outputs' }, 'outputs'],
  [{ type: 'contains', value: 'x', file: 'a.js' }, { type: 'contains', value: 'x', path: 'a.js' }, 'contains'],
])('%j in such a case', async (item, read, where) => {
  const found = await check(asked, item)
  expect(found.check).toEqual(read)
  expect(found.warnings[0]).toContain(where)
})

test("Whetstone's own checks say where they look", async () => {
  const read = await loadCase({ id: 1, ...asked, checks: [contains] })
  expect([read.case.checks, read.warnings]).toEqual([[contains], []])
})
