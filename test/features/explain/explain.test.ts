/** explain: what failed in how many runs, with its evidence; infrastructure and open verdicts apart; nothing claimed that was not tested. */
import { readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { explanation } from '../../../schemas/explanation.ts'
import { grading } from '../../../schemas/grading.ts'
import { explain } from '../../../src/features/explain/explain.ts'
import { runMain } from '../../cli/run_main.ts'
import { unpackEarlierWorkspace } from '../../e2e/earlier_workspace.ts'
import { record } from '../../fixtures/record.ts'
import { folderOf } from '../../store/folder_of.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

interface Made {
  /** "+-?": passed, failed, left open; absent: no grading. */
  marks?: string
  changes?: Record<string, unknown>
  verdict?: Record<string, unknown>
  events?: readonly object[]
}

/** The files of one run; its folder names case, configuration and number. */
function run(folder: string, { marks, changes = {}, verdict = {}, events = [] }: Made): Record<string, unknown> {
  const [, id = '', arm = '', number = ''] = /^eval-(\d+)[^/]*\/(\w+)\/run-(\d+)$/.exec(folder) ?? []
  const texts = [...(marks ?? '')].map((mark, index) => ({ mark, text: `statement ${index + 1}` }))
  const own = { run_id: folder, eval_id: Number(id), configuration: arm, run_number: Number(number) }
  const at = { at: '2026-01-15T10:30:00Z', step: 1 }
  const skill = arm === 'with_skill' ? {} : { skill: { offered: null, read: null, read_at_step: null } }
  const expectations = texts
    .filter(({ mark }) => mark !== '?')
    .map(({ mark, text }) => ({
      ...{ text, passed: mark === '+', decided_by: 'judge' },
      evidence: mark === '+' ? `seen: ${text}` : `not seen: ${text}`,
      ...(mark === '-' && verdict),
    }))
  const judge_errors = texts
    .filter(({ mark }) => mark === '?')
    .map(({ text }) => ({ text, reason: 'no usable answer' }))
  const summary = { passed: 0, failed: 0, total: 0, pass_rate: 0 }
  return {
    [`${folder}/run.json`]: record({ ...own, ...skill, ...changes }),
    ...(marks !== undefined && { [`${folder}/grading.json`]: { expectations, judge_errors, summary } }),
    ...(events.length > 0 && {
      [`${folder}/transcript.jsonl`]: events.map((one) => JSON.stringify({ ...at, ...one })).join('\n'),
    }),
  }
}

/** Both configurations of a case, a run per text of marks. */
function pair(name: string, candidate: readonly string[], baseline: readonly string[]): Record<string, unknown> {
  const arms = Object.entries({ with_skill: candidate, without_skill: baseline })
  return Object.assign(
    {},
    ...arms.flatMap(([arm, all]) => all.map((marks, index) => run(`${name}/${arm}/run-${index + 1}`, { marks }))),
  )
}

const explainIn = (files: Record<string, unknown>, named: string | null = null) =>
  explain({ folder: folderOf(files), case: named }, context)

async function onlyCase(files: Record<string, unknown>) {
  const { cases } = await explainIn(files)
  expect(cases).toHaveLength(1)
  return explanation.shape.cases.element.parse(cases[0])
}

test('a failed expectation: its runs, the quote, where it was found, and how the run ended', async () => {
  const events = [
    { type: 'skill_read', skill: 'tidy', via: 'Read' },
    { type: 'tool_result', id: '1', name: 'Bash', output: 'no such file: a', is_error: true },
    { type: 'tool_result', id: '2', name: 'Bash', output: 'no such file: b', is_error: true },
    { type: 'tool_result', id: '3', name: 'Bash', output: 'fine', is_error: false },
  ]
  const files = [{ path: 'out.csv', bytes: 3, sha256: 'x', change: 'created' }]
  const one = await onlyCase({
    ...pair('eval-1-sums', ['++', '++', '++'], ['++', '++', '++']),
    ...run('eval-1-sums/with_skill/run-2', {
      ...{ marks: '+-', events },
      changes: { exit_code: 2, outputs: { files, deleted: [], left_out: [] } },
    }),
  })
  const results = [
    { configuration: 'with_skill', failed: 1, decided: 3 },
    { configuration: 'without_skill', failed: 0, decided: 3 },
  ]
  const at = { configuration: 'with_skill', run_number: 2 }
  const evidence = [{ ...at, quote: 'not seen: statement 2' }]
  expect(one.expectations).toMatchObject([
    { text: 'statement 2', decided_by: 'judge', in_rate: true, flaky: true, results, evidence },
  ])
  const folder = 'eval-1-sums/with_skill/run-2'
  expect(one.runs).toEqual([
    {
      ...{ ...at, folder, pass_rate: 0.5, failed: 1, end: 'completed', stop_reason: 'end_turn', exit_code: 2 },
      ...{
        skill_read: true,
        skill_read_line: 1,
        transcript: `${folder}/transcript.jsonl`,
        outputs: ['out.csv'],
        notes: [],
      },
      removed: null,
      last_error: { line: 3, tool: 'Bash', text: 'no such file: b' },
    },
  ])
  expect(one).toMatchObject({ flaky: true, not_counted: [], judge_errors: [] })
})

test.each([
  ['timed_out', { status: 'timed_out' }],
  ['refused', { stop_reason: 'refusal' }],
  ['cut', { stop_reason: 'max_tokens' }],
  ['turn_limit', { stop_reason: 'max_turns' }],
  ['asked_user', { asked_user: { question: 'which one?', via: 'final_response' } }],
  ['completed', {}],
])('a run that ended as %s', async (end, changes) => {
  const files = { ...pair('eval-1-a', [], ['-']), ...run('eval-1-a/with_skill/run-1', { marks: '-', changes }) }
  expect((await onlyCase(files)).runs[0]?.end).toBe(end)
})

test('failures of infrastructure and open verdicts are apart: neither is a failed run or expectation', async () => {
  const error = { kind: 'rate_limited', message: '429 after 3 attempts' }
  const broken = run('eval-1-a/with_skill/run-2', { changes: { status: 'failed', error } })
  const open = run('eval-1-a/with_skill/run-3', { marks: '+?' })
  const one = await onlyCase({ ...pair('eval-1-a', ['++'], ['++']), ...broken, ...open })
  expect(one).toMatchObject({ expectations: [], runs: [], rates: [{ pass_rate: 1 }, { pass_rate: 1 }] })
  const folder = 'eval-1-a/with_skill/run-2'
  const run2 = { configuration: 'with_skill', run_number: 2, folder, reason: 'failed', kind: 'rate_limited' }
  expect(one.not_counted).toEqual([{ ...run2, message: '429 after 3 attempts' }])
  const run3 = { configuration: 'with_skill', run_number: 3, text: 'statement 2', reason: 'no usable answer' }
  expect(one.judge_errors).toEqual([run3])
  expect(one.notes.join(' ')).toContain('Failures of infrastructure: 1 run, in no rate.')
  // the same run with a verdict is a failure
  const graded = await onlyCase({ ...pair('eval-1-a', ['++', '+-'], ['++']) })
  expect(graded.runs.map(({ run_number }) => run_number)).toEqual([2])
})

describe('what one cannot conclude is said', () => {
  const notes = async (candidate: readonly string[], baseline: readonly string[]) =>
    (await onlyCase(pair('eval-1-a', candidate, baseline))).notes.join('\n')

  test('one run per configuration may be chance, and flakiness is not known', async () => {
    const one = await onlyCase(pair('eval-1-a', ['-'], ['+']))
    expect(one.flaky).toBeNull()
    expect(one.notes.join('\n')).toContain('One run per configuration: this may be chance')
    expect(await notes(['-', '-'], ['+', '+'])).not.toContain('chance')
  })
  test('an interval that includes 0 is no evidence', async () => {
    expect(await notes(['-', '+', '+'], ['+', '+', '+'])).toContain('the interval includes 0')
    const eight = (mark: string) => Array<string>(8).fill(mark)
    expect(await notes(eight('-'), eight('+'))).not.toContain('includes 0')
  })
})

test('worst first, at most ten; the others are counted, those that passed too', async () => {
  const mixed = Array.from({ length: 12 }, (_, index) => pair(`eval-${index + 1}-case`, ['+-', '++'], ['++']))
  const worst = pair('eval-20-worst', ['--', '--'], ['++'])
  const files = Object.assign(
    {},
    ...mixed,
    worst,
    pair('eval-30-only-baseline', ['++'], ['--']),
    pair('eval-40-fine', ['++'], ['++']),
  )
  const { cases, left_out, passing, verdict } = await explainIn(files)
  expect(cases.map(({ eval_id }) => eval_id)).toEqual([20, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect({ left_out, passing }).toEqual({ left_out: 4, passing: 1 })
  expect(verdict).toMatch(/pass rate/i)
})

test('texts from outside show their control characters and are cut; links out of the folder are not followed', async () => {
  const evidence = `\u001b[2J\u202e${'long '.repeat(1000)}`
  const root = folderOf({
    ...pair('eval-1-a', [], ['+']),
    ...run('eval-1-a/with_skill/run-1', { marks: '-', verdict: { evidence } }),
  })
  const event = { type: 'error', at: '2026-01-15T10:30:00Z', step: 1, kind: 'crash', message: 'of another folder' }
  const elsewhere = path.join(folderOf({ 'secret.jsonl': JSON.stringify(event) }), 'secret.jsonl')
  const file = path.join(root, 'eval-1-a/with_skill/run-1/transcript.jsonl')
  symlinkSync(elsewhere, file)
  const [one] = (await explain({ folder: root, case: null }, context)).cases
  const quote = one?.expectations[0]?.evidence[0]?.quote ?? ''
  expect(quote.startsWith('⟨U+001B⟩[2J⟨U+202E⟩long')).toBe(true)
  expect(quote.length).toBeLessThan(1030)
  expect(one?.runs[0]).toMatchObject({ transcript: null, last_error: null })
  // the same file inside the folder is read
  writeFileSync(path.join(root, 'eval-1-a/without_skill/run-1/transcript.jsonl'), JSON.stringify(event))
  const printed = await runMain(['explain', root])
  expect(printed.stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  expect({ code: printed.code, stderr: printed.stderr }).toEqual({ code: 0, stderr: '' })
})

test('the command explains the newest benchmark of a workspace, writes nothing and prints one document', async () => {
  const { folder, workspace, listBenchmarks } = unpackEarlierWorkspace()
  const newest = path.join(folder, listBenchmarks().at(-1) ?? '')
  const file = path.join(newest, 'eval-1-sort-the-names-in-names-txt/without_skill/run-1/grading.json')
  const graded = grading.parse(JSON.parse(readFileSync(file, 'utf8')))
  const place = { evidence_verified: 'exact', evidence_at: { file: 'transcript.md', line: 4, start: 20, end: 31 } }
  const expectations = graded.expectations.map((one) => (one.decided_by === 'judge' ? { ...one, ...place } : one))
  writeFileSync(file, JSON.stringify({ ...graded, expectations }))
  const planFile = path.join(newest, 'plan.json')
  const plan = JSON.parse(readFileSync(planFile, 'utf8'))
  const cases = plan.cases.map((one: object, at: number) => (at === 0 ? { ...one, metadata: { purpose: 'p' } } : one))
  writeFileSync(planFile, JSON.stringify({ ...plan, cases }))
  const before = readdirSync(folder, { recursive: true })
  const printed = await runMain(['explain', '--json'], { cwd: folder })
  const made = explanation.parse(JSON.parse(printed.stdout))
  expect(made.benchmark).toMatchObject({ folder: realpathSync(newest), skill_name: 'tidy', complete: false })
  expect(made.cases.find(({ eval_id }) => eval_id === 1)?.metadata).toEqual({ purpose: 'p' })
  const failed = made.cases.find(({ eval_id }) => eval_id === 1)?.expectations ?? []
  expect(failed.find(({ decided_by }) => decided_by === 'judge')?.evidence).toMatchObject([place])
  expect(made.next.map(({ argv }) => argv[1])).toEqual(['view', 'diff'])
  expect(readdirSync(folder, { recursive: true })).toEqual(before)
  const text = await runMain(['explain', workspace, '--case', '1'], { cwd: folder })
  expect(text.stdout).toContain('nowhere in the answer (transcript.md:4)')
  expect(text.stdout).toContain('notes of the suite: {"purpose":"p"}')
  const missing = await runMain(['explain', 'nothing-here'], { cwd: folder })
  expect(missing.code).toBe(2)
})
