/** Checks of texts that look at the answer and the outputs: one place is enough, and what must be absent is absent in all. */
import { expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { checkText } from '../../../src/phases/3-judge/checks/check_text.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { sceneWith } from './scene.ts'

const files = { 'app.js': 'fetch(url)\n', 'style.css': 'body {}\n' }
const scene = (answer: string, leftOut: { path: string; reason: string }[] = []) =>
  sceneWith(files, { finalResponse: answer, leftOut })
const target = 'answer_or_outputs'
const too = [{ path: 'big.log', reason: 'larger than 10 MB' }]

test.each<[object, string, object]>([
  [{ type: 'contains', value: 'fetch(' }, 'Done.', { passed: true, evidence: 'app.js:1: fetch(url)' }],
  [
    { type: 'contains', value: 'axios' },
    'Done.',
    { passed: false, evidence: '"axios" is not in the final answer and 2 text output files' },
  ],
  [
    { type: 'not_contains', value: 'axios' },
    'Done.',
    { passed: true, evidence: '"axios" is not in the final answer and 2 text output files' },
  ],
  [{ type: 'regex', pattern: 'fetch\\(' }, 'Done.', { passed: true, evidence: 'app.js:1: fetch(url)' }],
  [
    { type: 'regex', pattern: 'axios', absent: true },
    'Done.',
    { passed: true, evidence: '/axios/ matches nothing in the final answer and 2 text output files' },
  ],
])('%j after %j', async (check, answer, verdict) => {
  expect(await decideCheck(checkSchema.parse({ ...check, target }), await scene(answer))).toEqual(verdict)
})

test.each([
  { type: 'contains', value: 'axios' },
  { type: 'not_contains', value: 'axios' },
  { type: 'regex', pattern: 'axios', absent: true },
])('%j is undecided if a file was not collected and nothing else decides', async (check) => {
  const verdict = await decideCheck(checkSchema.parse({ ...check, target }), await scene('Done.', too))
  expect(verdict).toEqual({ error: expect.stringContaining('big.log') })
})

test('an expression that must be absent, in the outputs or in one file', async () => {
  const absent = { type: 'regex', pattern: 'fetch', absent: true }
  const decide = async (where: object) => decideCheck(checkSchema.parse({ ...absent, ...where }), await scene('Done.'))
  expect(await decide({ target: 'outputs' })).toMatchObject({ passed: false })
  expect(await decide({ path: 'app.js' })).toMatchObject({ passed: false })
  expect(await decide({ path: 'style.css' })).toMatchObject({ passed: true })
  expect(await decide({ path: 'gone.js' })).toMatchObject({ passed: false })
})

test.each<[object, string]>([
  [{ type: 'contains', value: 'x', target }, 'The final answer or an output file contains "x"'],
  [{ type: 'not_contains', value: 'x', target }, 'Neither the final answer nor an output file contains "x"'],
  [{ type: 'regex', pattern: 'x', absent: true, target }, 'Neither the final answer nor an output file matches /x/'],
  [{ type: 'regex', pattern: 'x', absent: true, target: 'outputs' }, 'No output file matches /x/'],
])('%j reads: %s', (check, text) => expect(checkText(checkSchema.parse(check))).toBe(text))
