/** Checks on real files: what passes, fails, can't be decided; no path and no pattern gets away. */
import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Check, check as checkSchema } from '../../../schemas/check.ts'
import { checkText } from '../../../src/phases/3-judge/checks/check_text.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { failed, passed, sceneWith, undecided, unreadable } from './scene.ts'

const files = {
  'report.md': '# Totals\nOcean: 42\nÉté: 7\n',
  'deep/data.json': '{"items":[{"name":"a","total":42},{"name":"b","total":null}],"__proto__":{"x":1}}',
  'broken.json': '{"items": [',
  'picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]),
  'zeros.bin': 'Binary\0Ocean',
  'a[1].txt': 'brackets',
  'metrics.agent.json': '{"mine":1}',
}
const finalResponse = 'Done.\nThe total is 42.\n'
const big = { path: 'huge.csv', reason: 'larger than 20 MiB (30000000 bytes)' }
const link = { path: 'latest.md', reason: 'a link' }

const scene = (changes: Partial<CheckContext> = {}) =>
  sceneWith(files, {
    finalResponse,
    transcript: async () => '## Eval Prompt\n\nAdd up.\nI ran totals.py\n',
    ...changes,
  })
const decide = async (check: object, changes: Partial<CheckContext> = {}) =>
  decideCheck(checkSchema.parse(check), await scene(changes))

describe('agent_blocked', () => {
  const at = '2026-01-15T10:30:00Z'
  const hook = (outcome: string, changes: object = {}) => ({
    type: 'hook' as const,
    ...{ at, step: 1, event: 'PreToolUse', tool: 'Bash', outcome, text: 'rm is not allowed', ...changes },
  })
  test.each<[object, ReturnType<typeof hook>[], object]>([
    [{}, [hook('blocked')], passed('transcript.jsonl:1: Bash was blocked: rm is not allowed')],
    [{ tool: 'Bash', reason: 'not allowed' }, [hook('ok'), hook('blocked')], passed('transcript.jsonl:2')],
    [
      { tool: 'Write' },
      [hook('blocked')],
      failed('no hook blocked a call of Write; blocked: Bash (rm is not allowed)'),
    ],
    [{ reason: 'secret' }, [hook('blocked')], failed('with a reason that contains "secret"')],
    [{}, [hook('ok'), hook('error')], failed('no hook blocked a call; hooks that ran: 2')],
    [{}, [hook('feedback', { event: 'PostToolUse' })], failed('no hook blocked a call')],
    [{}, [], failed('no hook blocked a call; no hook is on record')],
    [{}, [hook('blocked', { exit_code: 2 })], passed('Bash was blocked (the hook exited 2): rm is not allowed')],
    [
      {},
      [hook('ok', { exit_code: 0 }), hook('ok', { exit_code: 0 }), hook('error', { exit_code: 1 })],
      failed('hooks that ran: 3 (PreToolUse of Bash exited 0, not 2, PreToolUse of Bash exited 1, not 2)'),
    ],
  ])('%j', async (check, events, verdict) => {
    expect(await decide({ type: 'agent_blocked', ...check }, { events: async () => events })).toEqual(verdict)
  })
  test('an engine that shows nothing leaves it undecided', async () => {
    const check = { type: 'agent_blocked' }
    expect(await decide(check, { showsTools: false })).toEqual(undecided('does not report'))
    const blocked = { showsTools: false, events: async () => [hook('blocked')] }
    expect(await decide(check, blocked)).toEqual(passed('Bash was blocked'))
  })
})

describe('contains', () => {
  test.each([
    [{ value: '42' }, passed('final answer:2: The total is 42.')],
    [{ value: 'Done.\nThe' }, passed('final answer:1: Done.')],
    [{ value: 'DONE' }, failed('"DONE" is not in the final answer; it begins "Done.')],
    [{ value: 'DONE', ignore_case: true }, passed('final answer:1: Done.')],
    [{ value: 'ÉTÉ', ignore_case: true, path: 'report.md' }, passed('report.md:3: Été: 7')],
    [{ value: 'totals.py', target: 'transcript' }, passed('transcript.md:4: I ran totals.py')],
    [{ value: 'Ocean', target: 'outputs' }, passed('report.md:2: Ocean: 42')],
    [{ value: 'Binary', target: 'outputs' }, failed('is not in 5 text output files')],
    [{ value: 'PNG', path: 'picture.png' }, unreadable('picture.png: it is not a text file')],
    [{ value: 'mine', path: 'metrics.json' }, passed('metrics.agent.json:1:')],
    [{ value: 'x', path: 'none.md' }, failed('No output file none.md; the agent left report.md, deep/data.json')],
  ])('%j', async (check, verdict) => expect(await decide({ type: 'contains', ...check })).toEqual(verdict))

  test('what was not collected could hold it', async () => {
    const check = { type: 'contains', value: 'Desert', target: 'outputs' }
    expect(await decide(check, { leftOut: [big] })).toEqual(unreadable('huge.csv'))
    expect(await decide(check, { leftOut: [link] })).toEqual(failed('is not in'))
    expect(await decide({ ...check, value: 'Ocean' }, { leftOut: [big] })).toEqual(passed('report.md:2'))
  })
  test('evidence is short and printable, with the match in it', async () => {
    const line = `${'x'.repeat(5000)}NEEDLE\u001b[31m\u202e${'y'.repeat(5000)}`
    const verdict = await decide({ type: 'contains', value: 'NEEDLE' }, { finalResponse: line })
    expect(verdict).toEqual({ passed: true, evidence: expect.stringMatching(/^final answer:1: …x+NEEDLE�\[31m�y+…$/) })
    expect(JSON.stringify(verdict).length).toBeLessThan(500)
  })
})

describe('not_contains', () => {
  test.each([
    [{ value: 'error' }, passed('"error" is not in the final answer')],
    [{ value: '42' }, failed('final answer:2: The total is 42.')],
    [{ value: 'Desert', target: 'outputs' }, passed('is not in 5 text output files')],
  ])('%j', async (check, verdict) => expect(await decide({ type: 'not_contains', ...check })).toEqual(verdict))
  test('what was not collected could hold it', async () => {
    const check = { type: 'not_contains', value: 'Desert', target: 'outputs' }
    expect(await decide(check, { leftOut: [big] })).toEqual(unreadable('huge.csv'))
  })
})

describe('regex', () => {
  test.each([
    [{ pattern: 'total is \\d+' }, passed('final answer:2: The total is 42.')],
    [{ pattern: '^done', flags: 'i' }, passed('final answer:1: Done.')],
    [{ pattern: '^The' }, failed('/^The/ matches nothing in the final answer')],
    [{ pattern: '^The', flags: 'm' }, passed('final answer:2:')],
    [{ pattern: '(?<=Ocean: )42', path: 'report.md' }, passed('report.md:2: Ocean: 42')],
    [{ pattern: '(' }, undecided('/(/ could not be evaluated: Invalid regular expression')],
  ])('%j', async (check, verdict) => expect(await decide({ type: 'regex', ...check })).toEqual(verdict))

  test('a text on which a pattern backtracks for ever is a fail: with RE2 by the search itself, without it by the limit', async () => {
    const finalResponse = `${'a'.repeat(40)}!`
    const decideBy = (pattern: string) => decide({ type: 'regex', pattern, absent: true }, { finalResponse })
    expect(await decideBy('^(a+)+$')).toEqual(passed('matches nothing in the final answer'))
    expect(await decideBy('^(?=a)(a+)+$')).toEqual({
      ...failed('could not be searched: it took longer than 5 s'),
      unreadable: true,
    })
  })
})

describe('what backtracks for ever does not stop Whetstone: an abort ends it', () => {
  const long = `${'a'.repeat(40)}!`
  const at = '2026-01-15T10:30:00Z'
  const call = { type: 'tool_call' as const, at, step: 1, id: '1', name: 'Bash', input: { command: long } }
  test.each<[object, Partial<CheckContext>]>([
    [{ type: 'regex', pattern: '^(?=a)(a+)+$' }, { finalResponse: long }],
    [{ type: 'file_exists', path: '+(*a*)b' }, { outputs: [`${'a'.repeat(60)}!`] }],
    [{ type: 'file_count', path: '+(*a*)b', count: { min: 1 } }, { outputs: [`${'a'.repeat(60)}!`] }],
    [{ type: 'json_path', query: "$[?match(@, '(a+)+')]" }, { finalResponse: JSON.stringify([long]) }],
    [{ type: 'json_schema', schema: { pattern: '^(?=a)(a+)+$' } }, { finalResponse: `"${long}"` }],
    [{ type: 'tool_used', name: 'Bash', input: '^(?=a)(a+)+$' }, { events: async () => [call] }],
  ])('%j', async (check, changes) => {
    const abort = new AbortController()
    const verdict = decide(check, { ...changes, signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 50)
    await expect(verdict).rejects.toThrow('enough')
  })
})

describe('file_exists', () => {
  test.each([
    ['report.md', passed('report.md is there')],
    ['**/*.json', passed('deep/data.json is there')],
    ['deep', passed('deep/ is there, with deep/data.json')],
    ['a[1].txt', passed('a[1].txt is there')],
    ['metrics.json', passed('metrics.agent.json is there')],
    ['report.txt', failed('No output file report.txt; the agent left report.md')],
  ])('%s', async (wanted, verdict) => expect(await decide({ type: 'file_exists', path: wanted })).toEqual(verdict))

  test.each([
    ['huge.csv', passed('huge.csv is there (not collected: larger than 20 MiB')],
    ['*.csv', passed('huge.csv is there')],
    ['latest.md', failed('latest.md is a link, not a regular file')],
  ])('%s, which was not collected', async (wanted, verdict) => {
    expect(await decide({ type: 'file_exists', path: wanted }, { leftOut: [big, link] })).toEqual(verdict)
  })
  test('a file below a folder that could not be read is unreadable', async () => {
    const closed = { path: 'closed', reason: "can't be read: EACCES" }
    const verdict = await decide({ type: 'file_exists', path: 'closed/a.txt' }, { leftOut: [closed] })
    expect(verdict).toEqual(unreadable("closed/a.txt was not collected: can't be read"))
  })
})

describe('json_path', () => {
  const data = { path: 'deep/data.json' }
  test.each([
    [{ ...data, query: '$.items[0].total' }, passed("deep/data.json: $['items'][0]['total'] is 42")],
    [{ ...data, query: '$.items[0].total', equals: 42 }, passed('is 42')],
    [{ ...data, query: '$.items[0].total', equals: '42' }, failed('is 42, not "42"')],
    [{ ...data, query: '$.items[?@.name=="b"].total', equals: null }, passed('is null')],
    [{ ...data, query: '$.items[0]', equals: { total: 42, name: 'a' } }, passed('"total":42')],
    [{ ...data, query: '$.items[5]' }, failed('$.items[5] finds nothing in deep/data.json')],
    [{ ...data, query: '$.items[' }, undecided('could not be evaluated')],
    [{ path: 'broken.json', query: '$' }, failed('broken.json:1:12: not valid JSON')],
    [{ query: '$.a' }, failed('final answer:1:1: not valid JSON (Unexpected token')],
  ])('%j', async (check, verdict) => expect(await decide({ type: 'json_path', ...check })).toEqual(verdict))

  test.each([
    ['\uFEFF{"a":1}', passed('is 1')],
    ['Here it is:\n```json\n{"a":1}\n```\nBye.', passed('is 1')],
    ['```json\n{"a":1}\n```\n```json\n{"a":2}\n```', failed('not valid JSON')],
    ['', failed('not valid JSON')],
  ])('the answer %j', async (answer, verdict) => {
    expect(await decide({ type: 'json_path', query: '$.a', equals: 1 }, { finalResponse: answer })).toEqual(verdict)
  })
})

test('a link that lies in the outputs is not followed out', async () => {
  const shown = await scene({ outputs: [...Object.keys(files), 'way.txt'] })
  await writeFile(path.join(shown.outputsFolder, '../secret.txt'), 'secret')
  await symlink('../secret.txt', path.join(shown.outputsFolder, 'way.txt'))
  const check = checkSchema.parse({ type: 'contains', value: 'secret', path: 'way.txt' })
  expect(await decideCheck(check, shown)).toEqual(undecided('a link out of the outputs'))
  const anywhere = checkSchema.parse({ type: 'contains', value: 'secret', target: 'outputs' })
  expect(await decideCheck(anywhere, shown)).toEqual(failed('is not in'))
})

describe('one place of several is enough, and what must be absent is absent in all', () => {
  const target = 'answer_or_outputs'
  const sources = { 'app.js': 'fetch(url)\n', 'style.css': 'body {}\n' }
  const decideIn = async (check: object, leftOut: CheckContext['leftOut'] = []) =>
    decideCheck(checkSchema.parse(check), await sceneWith(sources, { finalResponse: 'Done.', leftOut }))

  test.each<[object, object]>([
    [{ type: 'contains', value: 'fetch(' }, passed('app.js:1: fetch(url)')],
    [{ type: 'contains', value: 'axios' }, failed('"axios" is not in the final answer and 2 text output files')],
    [{ type: 'not_contains', value: 'axios' }, passed('"axios" is not in the final answer and 2 text output files')],
    [{ type: 'regex', pattern: 'fetch\\(' }, passed('app.js:1: fetch(url)')],
    [
      { type: 'regex', pattern: 'axios', absent: true },
      passed('/axios/ matches nothing in the final answer and 2 text'),
    ],
  ])('%j', async (check, verdict) => expect(await decideIn({ ...check, target })).toEqual(verdict))

  test.each([
    { type: 'contains', value: 'axios' },
    { type: 'not_contains', value: 'axios' },
    { type: 'regex', pattern: 'axios', absent: true },
  ])('%j fails if a file was not collected and nothing else decides', async (check) => {
    expect(await decideIn({ ...check, target }, [big])).toEqual(unreadable('huge.csv'))
  })

  test.each([
    [{ target: 'outputs' }, false],
    [{ path: 'app.js' }, false],
    [{ path: 'style.css' }, true],
    [{ path: 'gone.js' }, false],
  ])('an expression that must be absent, in %j', async (where, isPassed) => {
    const verdict = await decideIn({ type: 'regex', pattern: 'fetch', absent: true, ...where })
    expect(verdict).toMatchObject({ passed: isPassed })
  })
})

test.each<[Check, string]>([
  [{ type: 'contains', value: '42', text: 'It says 42' }, 'It says 42'],
  [{ type: 'not_contains', value: 'a', target: 'transcript' }, 'The transcript does not contain "a"'],
  [{ type: 'regex', pattern: 'x', absent: true, target: 'outputs' }, 'No output file matches /x/'],
  [
    { type: 'csv', columns: ['a', 'b'], rows: { min: 2 }, cells: [{ where: { a: 'x' }, column: 'b', equals: 1 }] },
    'The final answer is CSV with the columns a, b, at least 2 rows, b 1 where a is "x"',
  ],
  [{ type: 'tool_not_used', name: ['A', 'B'], input: '^a' }, 'The agent did not use A or B with /^a/'],
])('%j reads: %s', (check, text) => expect(checkText(check)).toBe(text))
