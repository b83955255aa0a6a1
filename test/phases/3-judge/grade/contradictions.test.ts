/** A judged pass that a failed check of the same file contradicts is a judge error; honest passes beside failed checks stand. */
import { describe, expect, test } from 'vitest'
import { commandEngine } from '../../../../src/engines/command/command.ts'
import { gradeRun } from '../../../../src/phases/3-judge/grade/grade_run.ts'
import { summarizeGrading } from '../../../../src/phases/3-judge/grade/summary.ts'
import { record } from '../../../fixtures/record.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'
import { environment, judgeCommand, temporary, write } from '../scene.ts'

const files = { 'summary.md': 'Ocean: 1,284.50\nTotal: 42 dollars\n', 'deep/notes.md': 'kept\n' }

interface Scene {
  checks: object[]
  statement: string
  evidence?: string
  events?: object[]
  start?: object
}

async function grade({
  checks,
  statement,
  evidence = "transcript.md: 'The report is in report.md.'",
  events = [],
  start = {},
}: Scene) {
  const runFolder = await temporary()
  const outputs = Object.fromEntries(Object.entries(files).map(([name, text]) => [`outputs/${name}`, text]))
  const answer = 'The report is in report.md. Desert: 7 is in it.'
  const at = { at: '2026-01-15T10:30:00.000Z', step: 1 }
  await write(runFolder, {
    ...outputs,
    'transcript.md': `## Eval Prompt\n\nAdd up.\n\n## Final response\n\n${answer}\n`,
    'transcript.jsonl': events.map((event) => `${JSON.stringify({ ...at, ...event })}\n`).join(''),
  })
  const graded = await gradeRun({
    case: suiteCase({ prompt: 'Add up.', expectations: [{ text: statement }], checks, ...start }),
    record: record({ final_response: answer }),
    runFolder,
    judge: { engine: commandEngine, model: null, command: judgeCommand('quoter', await temporary(), evidence) },
    onTimeout: 'fail',
    restore: (target) => write(target, files),
    env: environment,
    credentials: {},
    signal: new AbortController().signal,
  })
  if (graded === null) throw new Error('not graded')
  return graded.grading
}

const noReport = [{ type: 'file_exists', path: 'report.md' }]
const matches = (pattern: string) => [{ type: 'regex', path: 'summary.md', pattern }]
const fails = [{ type: 'command', run: 'exit 3' }]
const lacks = (value: unknown) => [{ type: 'contains', path: 'summary.md', value }]

describe('a pass against a failed check is a judge error', () => {
  test.each<[string, Scene]>([
    ['a missing file contains something', { checks: noReport, statement: '`report.md` contains the total' }],
    ['a missing file has something', { checks: noReport, statement: 'The file report.md has a row for the desert.' }],
    ['a missing file exists', { checks: noReport, statement: 'outputs/report.md exists' }],
    ['there is a missing file', { checks: noReport, statement: 'There is a file report.md' }],
    ['it wrote a missing file', { checks: noReport, statement: 'The agent wrote the totals to `report.md`.' }],
    ['something is saved in a missing file', { checks: noReport, statement: 'The table is saved in report.md' }],
    [
      'a missing file, known by what it should contain',
      { checks: [{ type: 'contains', path: 'report.md', value: '7' }], statement: 'report.md is valid Markdown' },
    ],
    [
      'evidence from a missing file',
      { checks: noReport, statement: 'The desert is named', evidence: "outputs/report.md: 'Desert: 7'" },
    ],
    ['a literal that the file lacks', { checks: lacks('Desert'), statement: 'summary.md contains `Desert`' }],
    ['a literal in single quotes', { checks: lacks('Desert'), statement: "summary.md mentions 'Desert'" }],
    [
      'a literal in curly single quotes',
      { checks: lacks('Desert'), statement: 'summary.md contains \u2018Desert\u2019' },
    ],
    ['a word', { checks: lacks('Desert'), statement: 'summary.md contains the word Desert.' }],
    ['a text', { checks: lacks('Desert: 7'), statement: "summary.md includes the text 'Desert: 7'" }],
    [
      'a word beside an apostrophe',
      { checks: lacks('Desert'), statement: "summary.md shows the agent's total and 'Desert'" },
    ],
    ['a literal in a place', { checks: lacks('Desert'), statement: 'In summary.md, "Desert" is present' }],
    ['a word in a place', { checks: lacks('DESERT'), statement: 'In the file summary.md there is the word DESERT.' }],
    ['a bare literal in a file', { checks: lacks('BANANA'), statement: 'BANANA is in summary.md' }],
    ['a quoted literal in a file', { checks: lacks('a banana'), statement: '"a banana" appears in summary.md.' }],
    ['a number in a file', { checks: lacks('99'), statement: '99 is present in the file summary.md' }],
    [
      'a literal in a missing file',
      { checks: [{ type: 'contains', path: 'report.md', value: 'BANANA' }], statement: 'BANANA is in report.md' },
    ],
    [
      'a word that must not be there',
      {
        checks: [{ type: 'not_contains', path: 'summary.md', value: 'Ocean' }],
        statement: "summary.md doesn't contain the word Ocean",
      },
    ],
    [
      'a value that the JSON lacks',
      {
        checks: [{ type: 'json_path', path: 'summary.md', query: '$.total', equals: 99 }],
        statement: 'summary.md gives the total as `99`',
      },
    ],
    [
      'a literal that must not be there',
      {
        checks: [{ type: 'not_contains', path: 'summary.md', value: 'Ocean' }],
        statement: 'summary.md does not contain `Ocean`',
      },
    ],
    [
      'a file that must not be there',
      { checks: [{ type: 'file_absent', path: 'deep/notes.md' }], statement: 'deep/notes.md was removed' },
    ],
    ["the check's own sentence", { checks: noReport, statement: 'The file report.md was created or changed' }],
    ['that of a regex', { checks: matches('Desert: \\d+'), statement: 'summary.md matches /Desert: \\d+/' }],
    [
      'that of a regex of the answer',
      { checks: [{ type: 'regex', pattern: 'Ocean' }], statement: 'The final answer matches /Ocean/.' },
    ],
    ['that of a command', { checks: fails, statement: '`exit 3` ends with exit code 0' }],
    ['that of a command without marks', { checks: fails, statement: 'exit 3 ends with exit code 0' }],
    [
      'that of a text of the answer',
      { checks: [{ type: 'contains', value: 'Ocean' }], statement: 'The final answer contains "Ocean"' },
    ],
    [
      'that of a number',
      { checks: [{ type: 'duration_at_most', value: 0.001 }], statement: 'The agent worked at most 0.001 s' },
    ],
    [
      'that of a pattern of files',
      { checks: [{ type: 'file_exists', path: '*.csv' }], statement: 'The file *.csv was created or changed' },
    ],
    [
      'that of a text that stands there in other letters',
      { checks: lacks('ocean:'), statement: 'summary.md contains "ocean:"' },
    ],
    [
      "the author's own sentence",
      { checks: [{ type: 'regex', pattern: 'Ocean', text: 'The ocean is named' }], statement: 'The ocean is named.' },
    ],
  ])('%s', async (_, scene) => {
    const { expectations, judge_errors: errors, summary } = await grade(scene)
    expect(errors).toEqual([
      { text: scene.statement, reason: expect.stringMatching(/^the judge passed it, but the check '.*' failed: /) },
    ])
    expect(expectations.map(({ decided_by: by }) => by)).toEqual([
      `check:${(scene.checks[0] as { type: string }).type}`,
    ])
    expect(summary).toEqual(summarizeGrading(expectations))
  })
})

const call = (name: string, input: object) => ({ type: 'tool_call', id: '1', name, input })

describe('an honest pass beside a failed check stands', () => {
  test.each<[string, Scene]>([
    ['of another file', { checks: noReport, statement: 'summary.md contains `Total: 42`' }],
    ['of no file', { checks: noReport, statement: 'The final answer names the desert' }],
    ['that the answer names the file', { checks: noReport, statement: 'The answer says where report.md is' }],
    ['that the file is mentioned', { checks: noReport, statement: 'report.md is mentioned in the answer' }],
    ['that the file is missing', { checks: noReport, statement: 'report.md is missing, and the answer says so' }],
    ['that it was not written', { checks: noReport, statement: 'The agent wrote nothing to report.md' }],
    ['of one of two files', { checks: noReport, statement: 'report.md or summary.md contains the total' }],
    [
      'of a file by the same name elsewhere',
      { checks: [{ type: 'file_exists', path: 'out/notes.md' }], statement: 'notes.md contains `kept`' },
    ],
    [
      'of a file that was given',
      {
        checks: noReport,
        statement: 'report.md contains `x`',
        start: { files: [{ path: 'report.md', source: import.meta.filename, kind: 'file', bytes: 1, sha256: '' }] },
      },
    ],
    [
      'of a file that setup may have made',
      { checks: noReport, statement: 'report.md contains `x`', start: { setup: 'true' } },
    ],
    [
      'of a file that was written and removed',
      { checks: noReport, statement: 'The agent wrote report.md', events: [call('Write', { file_path: 'report.md' })] },
    ],
    ['of another pattern', { checks: matches('Desert'), statement: 'summary.md matches /Ocean/' }],
    ['of a pattern in other letters', { checks: matches('ocean'), statement: 'summary.md matches /Ocean/' }],
    [
      'of a pattern without its backslash',
      { checks: matches('\\Dcean \\d'), statement: 'summary.md matches /Dcean d/' },
    ],
    ['of another command', { checks: fails, statement: '`exit 0` ends with exit code 0' }],
    [
      'of what a check with a text of its own looks for',
      { checks: [{ type: 'regex', pattern: 'Ocean', text: 'The ocean is named' }], statement: 'The desert is named' },
    ],
    ['that a bare literal is not there', { checks: lacks('BANANA'), statement: 'BANANA is not in summary.md' }],
    ['that a word is not there', { checks: lacks('BANANA'), statement: 'summary.md does not contain the word BANANA' }],
    [
      'that a literal is absent in a place',
      { checks: lacks('BANANA'), statement: 'In summary.md, "BANANA" is not present' },
    ],
    ['of a bare literal in another file', { checks: lacks('BANANA'), statement: 'BANANA is in other.md' }],
    [
      'of a bare literal in a file of a longer name',
      { checks: lacks('BANANA'), statement: 'BANANA is in summary.md.bak' },
    ],
    ['of a literal in another place', { checks: lacks('BANANA'), statement: 'In other.md, "BANANA" is present' }],
    ['of another bare literal', { checks: lacks('BANANA'), statement: 'OCEAN is in summary.md' }],
    ['of what a word means', { checks: lacks('dollars and cents'), statement: 'Dollars and cents is in summary.md' }],
    ['of the meaning of a single word', { checks: lacks('Sum'), statement: 'Sum is in summary.md' }],
    ['of one of two places', { checks: lacks('BANANA'), statement: 'BANANA is in summary.md or other.md' }],
    [
      'of a literal named beside the file',
      { checks: lacks('BANANA'), statement: 'BANANA is in the answer, and summary.md exists' },
    ],
    [
      'with apostrophes around a word',
      { checks: lacks('s total and the users'), statement: "summary.md shows the agent's total and the users' names" },
    ],
    [
      'that a second literal is not there',
      { checks: lacks('Desert'), statement: `summary.md contains "Ocean" and doesn't name "Desert"` },
    ],
    ['of another literal', { checks: lacks('Desert'), statement: 'summary.md contains `Ocean`' }],
    ['of the meaning, not the literal', { checks: lacks('$42'), statement: 'summary.md gives the total in dollars' }],
    ['of a literal in other letters', { checks: lacks('ocean:'), statement: 'summary.md contains `ocean:`' }],
    ['of a number written otherwise', { checks: lacks('1284.5'), statement: 'summary.md contains `1284.5`' }],
    ['of a pattern of files', { checks: [{ type: 'file_exists', path: '*.csv' }], statement: 'summary.csv exists' }],
    ['that something is not there', { checks: lacks('Desert'), statement: 'summary.md does not contain `Desert`' }],
  ])('%s', async (_, scene) => {
    const { expectations, judge_errors: errors } = await grade(scene)
    expect(errors).toBeUndefined()
    expect(expectations[0]).toMatchObject({ text: scene.statement, passed: true, decided_by: 'judge' })
  })
  test('a fail is never an error', async () => {
    const { expectations, judge_errors: errors } = await grade({
      checks: noReport,
      statement: 'report.md exists',
      evidence: 'fail: it is not there',
    })
    expect(errors).toBeUndefined()
    expect(expectations[0]).toMatchObject({ passed: false, decided_by: 'judge' })
  })
})
