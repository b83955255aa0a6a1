/** A judged pass that a failed check of the same file contradicts is asked again once, then the check decides; honest passes beside failed checks stand. */
import { describe, expect, test } from 'vitest'
import { summarizeGrading } from '../../../../src/phases/3-judge/grade/decisions.ts'
import type { JudgeMemory } from '../../../../src/phases/3-judge/judge_request.ts'
import { record } from '../../../fixtures/record.ts'
import { gradeFiles, quoter, toLines } from '../graded.ts'
import { write } from '../scene.ts'

const files = { 'summary.md': 'Ocean: 1,284.50\nTotal: 42 dollars\n', 'deep/notes.md': 'kept\n' }

interface More {
  /** Of each answer of the judge; the last one stays. */
  evidence?: string | readonly string[]
  memory?: JudgeMemory
  requireEvidence?: boolean
  events?: object[]
  start?: object
}

type Row = [name: string, checks: object[], statement: string, more?: More]

const honest = "transcript.md: 'The report is in report.md.'"

async function grade(
  checks: object[],
  statement: string,
  { evidence = honest, events = [], start = {}, ...changes }: More = {},
) {
  const { judge, prompts } = quoter(...[evidence].flat())
  const outputs = Object.fromEntries(Object.entries(files).map(([name, text]) => [`outputs/${name}`, text]))
  const answer = 'The report is in report.md. Desert: 7 is in it.'
  const at = { at: '2026-01-15T10:30:00.000Z', step: 1 }
  const graded = await gradeFiles({
    files: {
      ...outputs,
      'transcript.md': `## Eval Prompt\n\nAdd up.\n\n## Final response\n\n${answer}\n`,
      'transcript.jsonl': toLines(events.map((event) => ({ ...at, ...event }))),
    },
    parts: { expectations: [{ text: statement }], checks, ...start },
    of: record({ final_response: answer }),
    judge,
    ...changes,
    restore: (target) => write(target, files),
  })
  if (graded === null) throw new Error('not graded')
  return { ...graded.grading, asked: prompts.length }
}

const noReport = [{ type: 'file_exists', path: 'report.md' }]
const matches = (pattern: string) => [{ type: 'regex', path: 'summary.md', pattern }]
const fails = [{ type: 'command', run: 'exit 3' }]
const lacks = (value: unknown) => [{ type: 'contains', path: 'summary.md', value }]

describe('a pass against a failed check is asked again, then the check decides', () => {
  test.each<Row>([
    ['a missing file contains something', noReport, '`report.md` contains the total'],
    ['a missing file has something', noReport, 'The file report.md has a row for the desert.'],
    ['a missing file exists', noReport, 'outputs/report.md exists'],
    ['something is saved in a missing file', noReport, 'The table is saved in report.md'],
    [
      'a missing file, known by what it should contain',
      [{ type: 'contains', path: 'report.md', value: '7' }],
      'report.md is valid Markdown',
    ],
    ['evidence from a missing file', noReport, 'The desert is named', { evidence: "outputs/report.md: 'Desert: 7'" }],
    ['a literal that the file lacks', lacks('Desert'), 'summary.md contains `Desert`'],
    ['a literal in a place', lacks('Desert'), 'In summary.md, "Desert" is present'],
    ['a word in a place', lacks('DESERT'), 'In the file summary.md there is the word DESERT.'],
    ['a bare literal in a file', lacks('BANANA'), 'BANANA is in summary.md'],
    [
      'a literal in a missing file',
      [{ type: 'contains', path: 'report.md', value: 'BANANA' }],
      'BANANA is in report.md',
    ],
    [
      'a word that must not be there',
      [{ type: 'not_contains', path: 'summary.md', value: 'Ocean' }],
      "summary.md doesn't contain the word Ocean",
    ],
    [
      'a value that the JSON lacks',
      [{ type: 'json_path', path: 'summary.md', query: '$.total', equals: 99 }],
      'summary.md gives the total as `99`',
    ],
    ['a file that must not be there', [{ type: 'file_absent', path: 'deep/notes.md' }], 'deep/notes.md was removed'],
    ["the check's own sentence", noReport, 'The file report.md was created or changed'],
    ['that of a regex of the answer', [{ type: 'regex', pattern: 'Ocean' }], 'The final answer matches /Ocean/.'],
    ['that of a command', fails, '`exit 3` ends with exit code 0'],
    ['that of a pattern of files', [{ type: 'file_exists', path: '*.csv' }], 'The file *.csv was created or changed'],
    ['that of a text that stands there in other letters', lacks('ocean:'), 'summary.md contains "ocean:"'],
    [
      "the author's own sentence",
      [{ type: 'regex', pattern: 'Ocean', text: 'The ocean is named' }],
      'The ocean is named.',
    ],
  ])('%s', async (_, checks, statement, more) => {
    const { expectations, judge_errors: errors, summary, asked } = await grade(checks, statement, more)
    expect([errors, asked]).toEqual([undefined, 2])
    const by = `check:${(checks[0] as { type: string }).type}`
    expect(expectations[0]).toEqual({
      ...{ text: statement, passed: false, decided_by: by, overruled: true },
      evidence: expect.stringMatching(/^the judge passed this, but the check '.*' failed: /),
    })
    expect(expectations[1]).toMatchObject({ passed: false, decided_by: by })
    expect(expectations[1]?.overruled).toBeUndefined()
    expect(summary).toEqual(summarizeGrading(expectations))
  })
})

describe('the second answer', () => {
  test('counts if it no longer contradicts the check', async () => {
    const { expectations, judge, asked } = await grade(noReport, 'report.md exists', {
      evidence: [honest, 'fail: no file'],
    })
    expect(expectations[0]).toMatchObject({ passed: false, decided_by: 'judge', evidence: 'fail: no file' })
    expect(expectations[0]?.overruled).toBeUndefined()
    expect([asked, judge?.calls]).toEqual([2, 2]) // both are paid
  })
  test('that does not come leaves the decision to the check', async () => {
    const { expectations, judge_errors: errors } = await grade(noReport, 'report.md exists', {
      evidence: [honest, 'prose'],
    })
    expect(expectations[0]).toMatchObject({ passed: false, overruled: true })
    expect(errors).toBeUndefined()
  })
  test('is new, and replaces the stored one, which a later grading finds', async () => {
    const { memory, kept } = remember()
    await grade(noReport, 'report.md exists', { memory })
    const stored = [...kept.values()]
    const later = await grade(noReport, 'report.md exists', { memory, evidence: 'fail: no file' })
    expect(later.expectations[0]).toMatchObject({ passed: false, decided_by: 'judge' })
    expect(later.asked).toBe(1) // the first answer came from the cache
    expect([...kept.values()]).not.toEqual(stored)
    const last = await grade(noReport, 'report.md exists', { memory })
    expect([last.asked, last.expectations[0]?.evidence]).toEqual([0, 'fail: no file'])
  })
  test('is also asked for where stored answers leave something undecided', async () => {
    const { memory } = remember()
    const strict = { memory, requireEvidence: true }
    const lacking = "outputs/summary.md: 'not in any file at all'"
    const first = await grade([], 'The summary is fine', { ...strict, evidence: lacking })
    expect([first.judge_errors?.length, first.asked]).toEqual([1, 2])
    const later = await grade([], 'The summary is fine', {
      ...strict,
      evidence: "outputs/summary.md: 'Total: 42 dollars'",
    })
    expect([later.judge_errors, later.asked]).toEqual([undefined, 1])
    // the control: a stored answer that decides everything is not asked for again
    expect((await grade([], 'The summary is fine', strict)).asked).toBe(0)
  })
})

/** Answers by the question, kept for later gradings. */
function remember() {
  const kept = new Map<string, Parameters<JudgeMemory['keep']>[1]>()
  const from = { benchmark: 'b', at: '2026-01-15T10:30:00.000Z' }
  const memory: JudgeMemory = {
    recall: async (prompt) => {
      const found = kept.get(prompt)
      return found === undefined ? null : { ...found, from }
    },
    keep: async (prompt, judged) => void kept.set(prompt, judged),
  }
  return { memory, kept }
}

const call = (name: string, input: object) => ({ type: 'tool_call', id: '1', name, input })

describe('an honest pass beside a failed check stands', () => {
  test.each<Row>([
    ['of another file', noReport, 'summary.md contains `Total: 42`'],
    ['that the answer names the file', noReport, 'The answer says where report.md is'],
    ['that the file is mentioned', noReport, 'report.md is mentioned in the answer'],
    ['of one of two files', noReport, 'report.md or summary.md contains the total'],
    [
      'of a file by the same name elsewhere',
      [{ type: 'file_exists', path: 'out/notes.md' }],
      'notes.md contains `kept`',
    ],
    [
      'of a file that was given',
      noReport,
      'report.md contains `x`',
      { start: { files: [{ path: 'report.md', source: import.meta.filename, kind: 'file', bytes: 1, sha256: '' }] } },
    ],
    ['of a file that setup may have made', noReport, 'report.md contains `x`', { start: { setup: 'true' } }],
    [
      'of a file that was written and removed',
      noReport,
      'The agent wrote report.md',
      { events: [call('Write', { file_path: 'report.md' })] },
    ],
    ['of another pattern', matches('Desert'), 'summary.md matches /Ocean/'],
    ['of a pattern in other letters', matches('ocean'), 'summary.md matches /Ocean/'],
    ['of a pattern without its backslash', matches('\\Dcean \\d'), 'summary.md matches /Dcean d/'],
    [
      'of what a check with a text of its own looks for',
      [{ type: 'regex', pattern: 'Ocean', text: 'The ocean is named' }],
      'The desert is named',
    ],
    ['that a word is not there', lacks('BANANA'), 'summary.md does not contain the word BANANA'],
    ['that a literal is absent in a place', lacks('BANANA'), 'In summary.md, "BANANA" is not present'],
    ['of a bare literal in a file of a longer name', lacks('BANANA'), 'BANANA is in summary.md.bak'],
    ['of what a word means', lacks('dollars and cents'), 'Dollars and cents is in summary.md'],
    ['of one of two places', lacks('BANANA'), 'BANANA is in summary.md or other.md'],
    ['of a literal named beside the file', lacks('BANANA'), 'BANANA is in the answer, and summary.md exists'],
    [
      'with apostrophes around a word',
      lacks('s total and the users'),
      "summary.md shows the agent's total and the users' names",
    ],
    ['that a second literal is not there', lacks('Desert'), `summary.md contains "Ocean" and doesn't name "Desert"`],
    ['of the meaning, not the literal', lacks('$42'), 'summary.md gives the total in dollars'],
    ['of a literal in other letters', lacks('ocean:'), 'summary.md contains `ocean:`'],
    ['of a number written otherwise', lacks('1284.5'), 'summary.md contains `1284.5`'],
    ['of a pattern of files', [{ type: 'file_exists', path: '*.csv' }], 'summary.csv exists'],
  ])('%s', async (_, checks, statement, more) => {
    const { expectations, judge_errors: errors, asked } = await grade(checks, statement, more)
    expect([errors, asked]).toEqual([undefined, 1])
    expect(expectations[0]).toMatchObject({ text: statement, passed: true, decided_by: 'judge' })
  })
  test('a fail is never asked about again', async () => {
    const evidence = 'fail: it is not there'
    const { expectations, judge_errors: errors, asked } = await grade(noReport, 'report.md exists', { evidence })
    expect([errors, asked]).toEqual([undefined, 1])
    expect(expectations[0]).toMatchObject({ passed: false, decided_by: 'judge' })
  })
})
