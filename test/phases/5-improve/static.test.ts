/** What a candidate may not hold or be, found before any agent runs on it. */
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/json/json.ts'
import { findHardCodedAnswer, findLeakage } from '../../../src/flows/improve/propose/static_checks.ts'
import { diffSkillFiles } from '../../../src/flows/versions/replace_skill.ts'
import { specificAnswers } from '../../../src/phases/5-improve/case_specific_answers.ts'
import { readCaseWords } from '../../../src/phases/5-improve/case_words.ts'
import { findAnswerPairs } from '../../../src/phases/5-improve/find_answer_tables.ts'
import { findBrokenBound, proposalBounds } from '../../../src/phases/5-improve/proposal_bounds.ts'
import { parseSummary, proposePrompt } from '../../../src/phases/5-improve/propose_prompt.ts'
import { changedFiles, extractReadable, type SkillEdit } from '../../../src/phases/5-improve/skill_edit.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'
import { skillEdit as edit } from './skill_edit.ts'

const caseOf = (eval_id: number, prompt: string, value: string) =>
  readCaseWords({ ...suiteCase({ eval_id, prompt }), checks: [{ type: 'contains', value }] })
const skill = 'Total invoices by the house rules.\n'
const adds = (text: string) => edit({ 'SKILL.md': skill }, { 'SKILL.md': `${skill}${text}\n` })

describe('the change', () => {
  test('is told by file and by lines', () => {
    const made = edit(
      { 'a.md': 'one\ntwo', 'b.md': 'x', 'c.md': 'same' },
      { 'a.md': 'one\nthree\nfour', 'c.md': 'same', 'd.md': 'new' },
    )
    expect(changedFiles(made)).toEqual([
      { path: 'a.md', change: 'modified', lines_added: 2, lines_removed: 1 },
      { path: 'b.md', change: 'deleted', lines_added: 0, lines_removed: 1 },
      { path: 'd.md', change: 'added', lines_added: 1, lines_removed: 0 },
    ])
  })
  test('is told where a file can be executed now, and reads as before', () => {
    const { before, after } = edit({ 'a.sh': 'echo 1' }, { 'a.sh': 'echo 1' })
    const made = { before, after: after.map((file) => ({ ...file, isExecutable: true })) }
    expect(changedFiles(made)).toEqual([{ path: 'a.sh', change: 'modified', lines_added: 0, lines_removed: 0 }])
    expect(diffSkillFiles(made.before, made.after)).toEqual([{ path: 'a.sh', lines: ['+can be executed'] }])
    expect(diffSkillFiles(made.after, made.before)).toEqual([{ path: 'a.sh', lines: ['-can be executed'] }])
    expect(diffSkillFiles(made.after, made.after)).toEqual([])
  })
})

/** A skill with one more file that is no text. */
function addsBytes(path: string, content: Buffer): SkillEdit {
  const { before, after } = adds('')
  const size = { bytes: content.length, sha256: sha256(content), isExecutable: false }
  const file = { path, text: null, readable: extractReadable(content), ...size }
  return { before, after: [...after, file] }
}

describe('leakage', () => {
  const held = [
    readCaseWords({
      ...suiteCase({ eval_id: 7, prompt: 'Please total the invoice of the northern harbour branch in Danish crowns.' }),
      expectations: [{ text: 'The summary names 4711.25 as what the branch still owes' }],
      checks: [{ type: 'contains', value: 'due 4711.25' }],
    }),
  ]
  const seen = [
    readCaseWords(suiteCase({ eval_id: 1, prompt: 'Please total the invoice of the southern branch in euros.' })),
  ]
  test.each<[string, string, RegExp | null]>([
    [
      'a sentence of a held-out prompt',
      'When asked to total the invoice of the northern harbour branch, use it.',
      /case 7/,
    ],
    ['a held-out expectation in other layout', 'The summary\nnames 4711.25 as   what the branch still owes.', /case 7/],
    [
      'a number that a held-out case alone expects',
      'The branch owes 4711.25.',
      /"4711\.25", which only held-out case 7/,
    ],
    ['what a training prompt says too', 'Please total the invoice of the southern branch in euros.', null],
    ['a part of a longer number', 'The id is 14711.257.', null],
  ])('%s', (_, text, reason) => {
    const found = findLeakage({ edit: adds(text), seen, held })
    if (reason === null) expect(found).toBeNull()
    else expect(found).toMatch(reason)
  })
  const said = 'The branch owes 4711.25.'
  test.each<[string, SkillEdit]>([
    ['in a file with a NUL', addsBytes('table.bin', Buffer.from(`\0${said}\0`))],
    ['in UTF-16', addsBytes('table.txt', Buffer.from(`\uFEFF${said}`, 'utf16le'))],
    [
      'in UTF-16, big endian, after an odd byte',
      addsBytes('t', Buffer.from(`${said}x`, 'utf16le').swap16().subarray(0, -1)),
    ],
    ['as the name of a file', addsBytes('due/4711.25', Buffer.from([0]))],
  ])('a number that a held-out case alone expects, %s', (_, made) => {
    expect(findLeakage({ edit: made, seen, held })).toMatch(/"4711\.25", which only held-out case 7/)
  })
  test('what the skill said before is not held against it', () => {
    const text = 'The branch owes 4711.25.'
    expect(findLeakage({ edit: edit({ 'SKILL.md': text }, { 'SKILL.md': `${text}\nMore.` }), seen, held })).toBeNull()
  })
})

describe('hard-coded answers', () => {
  const cases = [1, 2, 3].map((id) => caseOf(id, `Total invoice ${id}00${id}.csv`, `Total due: 98${id}.4${id}`))
  const found = (text: string) =>
    specificAnswers({ added: text, edit: adds(text), of: cases, all: cases }).map(({ evalId }) => evalId)
  test.each<[string, string, number[]]>([
    ['the answer of one case', 'If asked, say Total due: 982.42', [2, 2]],
    ['its number alone', 'const known = { b: 983.43 }', [3]],
    ['the words that all of them expect', 'Begin with "Total due:" and the amount.', []],
    ['a number that a prompt names', 'Files such as 2002.csv have a header.', []],
  ])('%s', (_, text, ids) => expect(found(text).sort()).toEqual(ids))
})

describe('answers of few digits or one word', () => {
  const sums = [10, 12, 15, 19, 24].map((a, at) =>
    caseOf(at + 1, `What is ${a} plus ${20 + at}?`, `sum: ${a + 20 + at}`),
  )
  const tickets = ['a late parcel', 'a broken cup', 'two wrong shoes', 'no invoice yet'].map((what, at) =>
    caseOf(at + 1, `A customer writes about ${what} and wants money back: decide.`, at % 2 ? 'APPROVED' : 'REJECTED'),
  )
  const rows = sums.map(({ prompt, answers: [answer = ''] }) => ({ in: prompt.match(/\d+/g)?.join(' '), answer }))
  const bare = (answer: string) => answer.replace('sum: ', '')
  const numbers = Array.from({ length: 300 }, (_, at) =>
    [1, 3, 7, 9, 11, 13, 17, 19, 21, 23].map((step) => (at * step + step * step) % 100).join(','),
  )
  test.each<[string, string, typeof sums, number]>([
    ['a table of them', rows.map((row) => `'${row.in}') echo '${row.answer}';;`).join('\n'), sums, 5],
    ['as JSON', JSON.stringify(rows.map((row) => [row.in, bare(row.answer)])), sums, 5],
    ['over two lines', rows.map((row) => `- in: ${row.in}\n  out: ${bare(row.answer)}`).join('\n'), sums, 5],
    [
      'words of prompts and what all of them expect',
      tickets.map(({ prompt, answers }) => `${prompt} ${answers[0]}`).join('\n'),
      tickets,
      4,
    ],
    ['a rule', 'Say APPROVED where money back is due to a customer, else REJECTED.', tickets, 0],
    ['a script that works it out', 'a=$1 b=$2\necho "sum: $((a + b))"\nexit 30 # 10 or 20', sums, 1],
    ['data', numbers.join('\n'), sums, 0],
  ])('%s', (_, text, all, count) => {
    expect(findAnswerPairs({ added: text, edit: adds(text), of: all, all })).toHaveLength(count)
    const leak = findLeakage({ edit: adds(text), seen: [], held: all })
    const solved = findHardCodedAnswer({ edit: adds(text), seen: all, held: [] })
    const refused = [expect.stringMatching(/held-out case/), expect.stringMatching(/training cases next to/)]
    expect([leak, solved]).toEqual(count < 3 ? [null, null] : refused)
  })
})

test.each<[string, string, boolean]>([
  ['a short prompt, word by word', 'For "what is 10 plus 20", add.', true],
  ['a number in groups of three', 'The sum may be 1,248 or so.', true],
  ['the same in code', 'known = 1_248', true],
  ['a list of numbers', 'one of 1,248,7', false],
])('held out: %s', (_, text, isLeak) => {
  const held = [caseOf(1, 'What is 10 plus 20?', 'sum: 30'), caseOf(2, 'Add them.', '1248')]
  expect(findLeakage({ edit: adds(text), seen: [], held }) !== null).toBe(isLeak)
})

test('what two cases expect, a prompt names or the skill said before is no answer of one case', () => {
  const shared = [caseOf(1, 'a', '12345'), caseOf(2, 'b', '12345')]
  const all = [...shared, caseOf(3, 'sum up 67890', '67890'), caseOf(4, 'd', '24680')]
  const made = edit({ 'SKILL.md': 'Rate 24680.' }, { 'SKILL.md': 'Rate 24680.\n12345 67890 24680' })
  expect(specificAnswers({ added: '12345 67890 24680', edit: made, of: all, all })).toEqual([])
})

describe('bounds of one step', () => {
  const long = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n')
  test.each<[string, SkillEdit, RegExp | null]>([
    ['a few lines', adds('More.'), null],
    ['too many lines', adds(long(proposalBounds.lines + 1)), /lines \(at most 300/],
    [
      'too many files',
      edit({}, Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.md`, 'x']))),
      /9 files \(at most 8/,
    ],
    [
      'a skill that outgrows itself',
      edit({ 'SKILL.md': 'x' }, { 'SKILL.md': 'x', 'a.bin': 'y'.repeat(20_000) }),
      /grow from 1 to 20001 bytes/,
    ],
    [
      'a SKILL.md that is too long',
      edit({ 'SKILL.md': long(400), 'r.md': long(9000) }, { 'SKILL.md': long(600), 'r.md': long(9000) }),
      /600 lines \(at most 500/,
    ],
  ])('%s', (_, made, reason) => {
    const broken = findBrokenBound(made)
    if (reason === null) expect(broken).toBeNull()
    else expect(broken).toMatch(reason)
  })
})

describe('the prompt of a proposer', () => {
  const none = { focus: '', passing: [], rejected: [], feedback: [], units: [] }
  const words = { name: 'pdf', goal: 'better' as const, changes: 4, ...none }
  test.each([
    [{ focus: 'case-2 (timed out)' }, /Look at these failures first: case-2 \(timed out\)\./],
    [{ passing: ['case-1', 'case-3'] }, /must not break: case-1, case-3\./],
    [{ feedback: ['eval-1/run-1: too long'] }, /What people say about the runs:\s*- eval-1\/run-1: too long/],
    [{ units: ['item "Be brief.": +2 points'] }, /Parts of the skill[\s\S]*- item "Be brief\.": \+2 points/],
  ])('names %j where there is one', (more, text) => {
    expect(proposePrompt({ ...words, ...more })).toMatch(text)
    expect(proposePrompt(words)).not.toMatch(text)
  })
  test('names a folder for each change', () => {
    expect(proposePrompt(words)).toMatch(/`\.\/change-1\/pdf` to `\.\/change-4\/pdf`/)
  })
})

test.each([
  ['done\nCHANGE 2: a\nWHY 2: b', 2, { summary: 'a', why: 'b' }],
  ['I changed it.', 1, { summary: 'I changed it.', why: '' }],
  ['', 3, { summary: 'not described', why: '' }],
])('of the final response %j the summary of change %i', (text, change, words) =>
  expect(parseSummary(text, change)).toEqual(words),
)
