/** Checks that decide nothing are named before anything is run; sound ones are not. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findDeadChecks } from '../../../src/flows/dead_checks/find_dead_checks.ts'
import { inspectSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const table = 'a,b\n1,2\n'
const files = { 'tidy/evals/files/in.csv': table, 'tidy/SKILL.md': '---\nname: tidy\ndescription: d\n---\n\nGo.\n' }
const sha256 = createHash('sha256').update(table).digest('hex')

async function find(one: object) {
  const root = folderOf({
    ...files,
    'tidy/evals/evals.json': JSON.stringify({ skill_name: 'tidy', evals: [{ id: 1, prompt: 'Tidy it', ...one }] }),
  })
  return await findDeadChecks(await inspectSuite(`${root}/tidy`), new AbortController().signal)
}
const ids = async (one: object) => (await find(one)).map(({ rule }) => rule)

const live = { type: 'contains', value: '42' }
const input = { files: ['evals/files/in.csv'] }

const alwaysPass: [string, object][] = [
  ['any text', { type: 'regex', pattern: '.*' }],
  ['an empty answer is wanted', { type: 'equals', value: '' }],
  ['a word of the prompt in the transcript', { type: 'contains', value: 'Tidy it', target: 'transcript' }],
  ['a pattern for the prompt in the transcript', { type: 'regex', pattern: 'tidy', flags: 'i', target: 'transcript' }],
  ['no file or more', { type: 'file_count', path: '*.md', count: { min: 0 } }],
  ['no call or more', { type: 'tool_used', name: 'Bash', times: { min: 0 } }],
  ['true', { type: 'command', run: 'true' }],
  ['echo at the end', { type: 'command', run: 'grep -q 42 out.md; echo checked' }],
  ['or true', { type: 'command', run: 'grep -q 42 out.md || true' }],
  ['a pipe that counts', { type: 'command', run: 'grep total out.md | wc -l' }],
  ['a lookahead that always finds a place', { type: 'regex', pattern: '(?!sorry)' }],
  ['rows of nothing', { type: 'csv', rows: { max: 100 } }],
]

const givenPass: [string, object][] = [
  ['a file that was given', { type: 'command', run: 'test -f evals/files/in.csv' }],
  ['given text', { type: 'command', run: 'cat evals/files/in.csv > /dev/null' }],
]

describe('a check that an empty answer passes', () => {
  test.each([...alwaysPass, ...givenPass])('%s', async (_, check) => {
    expect(await ids({ ...input, checks: [live, check] })).toEqual(['check-passes-empty'])
    expect(await ids({ ...input, expectations: ['It is tidy'], checks: [check] })).toEqual(['check-passes-empty'])
    expect(await ids({ ...input, checks: [check] })).toEqual(['check-passes-empty', 'case-passes-empty'])
  })
})

const absences: [string, object][] = [
  ['a word', { type: 'not_contains', value: 'sorry' }],
  ['a file', { type: 'file_absent', path: 'tmp.txt' }],
  ['a pattern', { type: 'regex', pattern: '^(?!.*TODO)' }],
  ['a tool', { type: 'tool_not_used', name: 'WebSearch' }],
  ['few calls', { type: 'tool_used', name: 'Bash', times: { max: 3 } }],
  ['no loop', { type: 'no_loop' }],
  ['an expression', { type: 'regex', pattern: 'x', absent: true }],
  ['few turns', { type: 'turns_at_most', value: 9 }],
  ['an input as it was', { type: 'file_hash', path: 'evals/files/in.csv', sha256 }],
]

describe('a check that something is absent or within a limit', () => {
  test.each(absences)('%s is one beside others, and is named alone', async (_, check) => {
    expect(await ids({ ...input, checks: [live, check] })).toEqual([])
    expect(await ids({ ...input, expectations: ['It is tidy'], checks: [check] })).toEqual([])
    expect(await ids({ ...input, checks: [check] })).toEqual(['checks-only-absences'])
    expect(await ids({ ...input, checks: [check, { type: 'skill_read' }] })).toEqual(['checks-only-absences'])
  })
})

test('a case that only forbids text is named with its remedy', async () => {
  expect(await find({ checks: [{ type: 'not_contains', value: 'x' }] })).toMatchObject([
    {
      message: 'case 1 (tidy-it): only forbids text, so an empty answer passes',
      fix: 'add an expectation, or a check for something that must be there',
    },
  ])
})

describe('a check that the reference fails', () => {
  const reference = { answer: 'It is 41', files: { 'out.json': '{"a":1}', 'out.csv': table } }
  test.each<[string, object]>([
    ['its answer', live],
    ['a pattern', { type: 'regex', pattern: '^\\d+$' }],
    ['a word that must not be there', { type: 'not_contains', value: '41' }],
    ['a file of another name', { type: 'file_exists', path: 'result.json' }],
    ['a file that must not be there', { type: 'file_absent', path: 'out.*' }],
    ['a value', { type: 'json_path', path: 'out.json', query: '$.a', equals: 2 }],
    ['a cell', { type: 'csv', path: 'out.csv', cells: [{ column: 'b', equals: 3 }] }],
    ['a number of files', { type: 'file_count', path: '*.csv', count: { equals: 2 } }],
    ['words in its files', { type: 'contains', value: 'b,c', target: 'outputs' }],
    ['a change of an input', { type: 'file_modified', path: 'evals/files/in.csv' }],
  ])('%s', async (_, check) => {
    expect(await ids({ ...input, expectations: ['e'], reference, checks: [check] })).toEqual(['reference-fails'])
  })
  test('says which and why', async () => {
    const [found] = await find({ reference, checks: [live] })
    expect(found).toMatchObject({
      severity: 'warning',
      at: '$.evals[0].checks',
      message: expect.stringMatching(/^case 1 \(.*\): the reference fails ".*42.*": \S/),
    })
  })
  test.each<[string, object, object]>([
    ['passes', reference, { type: 'contains', value: '41' }],
    ['has no files', { answer: '42' }, { type: 'file_exists', path: 'out.md' }],
    ['is no conduct', reference, { type: 'tool_used', name: 'Bash' }],
    ['takes a command', reference, { type: 'command', run: 'node see.mjs out.json' }],
    ['passes a command', reference, { type: 'command', run: 'grep -q a out.json && test -f out.csv' }],
    ['changes an input', { files: { 'evals/files/in.csv': 'x' } }, { type: 'file_modified', path: 'evals/files/*' }],
  ])('one that %s is not named', async (_, given, check) => {
    expect(await ids({ ...input, reference: given, checks: [check] })).toEqual([])
  })
})

describe('commands that depend on what the agent did', () => {
  test.each([
    'test -f out.md',
    'set -e; test -f out.md; echo ok',
    'test -f out.md || exit 1; echo ok',
    'test "$(cat out.md)" = 42',
    'diff evals/files/in.csv out.csv',
    'for f in *.md; do grep 42 $f; done; echo ok',
    'if test -f out.md; then exit 0; fi; exit 1',
    'false || grep 42 out.md',
    'grep -q 9,9 evals/files/in.csv || node see.mjs',
    'python3 -c "import json; json.load(open(\'out.json\'))"',
  ])('%s', async (run) => expect(await ids({ ...input, checks: [{ type: 'command', run }] })).toEqual([]))
})
