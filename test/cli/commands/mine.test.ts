/** The command line of `mine`: what it writes, refuses and reports, and what a model phrases. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { mine } from '../../../src/flows/mine/mine.ts'
import { fresh } from '../../e2e/program.ts'
import { keysFor, practice } from '../../engines/stage.ts'
import { runMain } from '../run_main.ts'

interface Recorded {
  id: string
  says: readonly string[]
  skill?: string
  day?: string
}

/** A session as Claude Code records it. */
function writeSession(folder: string, { id, says, skill, day = '2026-03-01' }: Recorded): void {
  const input = { file_path: '/home/mira/shop/out/sales.xlsx', content: 'x' }
  const lines = says.flatMap((text, index) => {
    const tools = [
      ...(skill === undefined ? [] : [{ type: 'tool_use', id: `t-${id}-${index}`, name: 'Skill', input: { skill } }]),
      { type: 'tool_use', id: `w-${id}-${index}`, name: 'Write', input },
    ]
    const results = tools.map(({ id: tool_use_id }) => ({ type: 'tool_result', tool_use_id, content: 'ok' }))
    const answer = (content: object[]) => ({
      type: 'assistant',
      message: { id: `m-${id}-${index}`, role: 'assistant', model: 'claude-opus-4-5', content },
    })
    return [
      { type: 'user', message: { role: 'user', content: text } },
      answer(tools),
      { type: 'user', message: { role: 'user', content: results } },
      answer([{ type: 'text', text: 'Done: out/sales.xlsx' }]),
    ].map((line, part) => ({
      ...{
        sessionId: id,
        cwd: '/home/mira/shop',
        isSidechain: false,
        version: '2.0.0',
        uuid: `${id}-${index}-${part}`,
      },
      ...{ timestamp: `${day}T10:0${index}:0${part}.000Z`, ...line },
    }))
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

function recorded(): string {
  const cwd = fresh()
  const folder = path.join(cwd, 'sessions')
  const chart = 'an Excel file with a chart of the revenue per month'
  writeSession(folder, {
    id: 'a',
    says: [`Make ${chart} from sales.csv`, 'No, use ISO dates instead.', 'Thanks, perfect!'],
    skill: 'sheets',
  })
  writeSession(folder, {
    id: 'b',
    says: [`I need ${chart}, data is q3.csv, mail it to mira@shop.example`],
    skill: 'sheets',
    day: '2026-03-02',
  })
  writeSession(folder, { id: 'c', says: [`please create ${chart} out of north.csv`], day: '2026-03-03' })
  writeSession(folder, { id: 'd', says: ['Why does the fan of my laptop spin?'], day: '2026-03-04' })
  writeFileSync(path.join(cwd, 'sessions', 'notes.jsonl'), '{"no": "session"}\n')
  const skill = path.join(cwd, 'sheets')
  mkdirSync(skill)
  writeFileSync(
    path.join(skill, 'SKILL.md'),
    '---\nname: sheets\ndescription: Makes Excel files with charts.\n---\n\nUse openpyxl.\n',
  )
  return cwd
}

const readJson = (...parts: string[]) => JSON.parse(readFileSync(path.join(...parts), 'utf8'))

test('drafts cases and queries that check, bench and triggers read', async () => {
  const cwd = recorded()
  const { code, stdout } = await runMain(['mine', 'sessions', '--skill', 'sheets'], { cwd })
  expect(stdout).toContain('4 sessions: 1 case and 3 trigger queries')
  expect(code).toBe(0)
  const { evals, skill_name } = readJson(cwd, 'mined/evals.json')
  expect(skill_name).toBe('sheets')
  expect(evals).toHaveLength(1)
  expect(evals[0]).toMatchObject({ review: 'draft', origin: { count: 3, corrected: 1, accepted: 1 } })
  expect(['train', 'held_out']).toContain(evals[0].split)
  expect(evals[0].expectations).toEqual([
    'It meets what the user asked for in a correction: "No, use ISO dates instead."',
    'It writes a file that ends in .xlsx.',
  ])
  expect(evals[0].origin.files).toEqual(expect.arrayContaining(['sales.csv', 'q3.csv', 'north.csv']))
  const queries = readJson(cwd, 'mined/triggers.json')
  expect(queries.filter((one: { should_trigger: boolean }) => one.should_trigger)).toHaveLength(2)
  expect(new Set(queries.map((one: { review: string }) => one.review))).toEqual(new Set(['draft']))
  const report = readFileSync(path.join(cwd, 'mined/report.md'), 'utf8')
  expect(report).toContain('Review before you commit')
  expect(report).toContain('| email | 1 |')
  expect(report + JSON.stringify([evals, queries])).not.toMatch(/mira/)
  const checked = await runMain(['check', 'sheets', '--suite', 'mined/evals.json'], { cwd })
  expect(checked).toMatchObject({ code: 0 })
  expect(checked.stdout).toContain('draft')
  const planned = await runMain(
    ['bench', 'sheets', '--suite', 'mined/evals.json', '--dry-run', '--engine', 'command:true', '--judge', 'none'],
    { cwd },
  )
  expect(planned.stderr + planned.stdout).not.toMatch(/is not read/)
  const asked = await runMain(
    ['triggers', 'sheets', '--set', 'mined/triggers.json', '--dry-run', '--engine', 'anthropic:opus'],
    { cwd, env: { ANTHROPIC_API_KEY: 'k' } },
  )
  expect(asked).toMatchObject({ code: 0 })
})

test('without a skill the queries name the skills that were read', async () => {
  const cwd = recorded()
  await runMain(['mine', 'sessions', '--out', 'drafts'], { cwd })
  const queries: { expected: string[] }[] = readJson(cwd, 'drafts/triggers.json')
  expect(queries.map((one) => one.expected).sort()).toEqual([[], ['sheets'], ['sheets']])
})

test('nothing is overwritten, and a dry run writes nothing', async () => {
  const cwd = recorded()
  const dry = await runMain(['mine', 'sessions', '--dry-run', '--json'], { cwd })
  expect(JSON.parse(dry.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'result',
    dry_run: true,
    sessions: 4,
    recurring_tasks: 1,
  })
  expect(existsSync(path.join(cwd, 'mined'))).toBe(false)
  await runMain(['mine', 'sessions'], { cwd })
  const before = readFileSync(path.join(cwd, 'mined/evals.json'), 'utf8')
  const again = await runMain(['mine', 'sessions'], { cwd })
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('already exists and is not overwritten')
  expect(readFileSync(path.join(cwd, 'mined/evals.json'), 'utf8')).toBe(before)
  expect(readdirSync(path.join(cwd, 'mined')).sort()).toEqual(['evals.json', 'report.md', 'triggers.json'])
})

test('--since, --min-count and --max-cases choose', async () => {
  const cwd = recorded()
  const since = await runMain(['mine', 'sessions', '--since', '2026-03-03', '--dry-run'], { cwd })
  expect(since.stdout).toContain('2 sessions: 0 cases')
  expect(since.stdout).toContain('2 sessions left out: they are older than --since')
  expect((await runMain(['mine', 'sessions', '--min-count', '4', '--dry-run'], { cwd })).stdout).toContain(
    'no task recurs',
  )
  expect(
    (await runMain(['mine', 'sessions', '--min-count', '1', '--max-cases', '1', '--dry-run'], { cwd })).stdout,
  ).toContain('1 rarer recurring task')
})

test.each([
  [['nowhere'], /no such file or folder/],
  [['empty'], /empty: no recorded sessions/],
  [['sheets/SKILL.md'], /not a session/],
  [['silent'], /its only session can't be used.*no message of a person/],
  [['sessions', '--skill', 'empty'], /SKILL\.md/],
  [['sessions', '--since', 'soon'], /since.*date such as/],
  [['sessions', '--since', '2027-01-01'], /none of its 4 sessions can be used.*older than --since/],
  [['sessions', '--base-url', 'http://127.0.0.1:1'], /--base-url without --engine or --model/],
])('%j is refused with exit 2, and nothing is written', async (args, message) => {
  const cwd = recorded()
  mkdirSync(path.join(cwd, 'empty'))
  mkdirSync(path.join(cwd, 'silent'))
  const line = {
    type: 'assistant',
    sessionId: 's',
    uuid: 'u',
    timestamp: '2026-03-01T10:00:00.000Z',
    message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  }
  writeFileSync(path.join(cwd, 'silent', 's.jsonl'), `${JSON.stringify(line)}\n`)
  const { code, stderr } = await runMain(['mine', ...args], { cwd })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/\bat .*\.ts:\d/)
  expect(code).toBe(2)
  expect(existsSync(path.join(cwd, 'mined'))).toBe(false)
})

/** A model that always answers with this. */
const phrasing = (answer: unknown) =>
  practice(JSON.stringify({ rules: [{ name: 'phrases', answer: { text: JSON.stringify(answer) } }] }))

test.each([
  ['anthropic', ['--engine', 'anthropic:claude-haiku-4-5']],
  ['the model alone', ['--model', 'claude-haiku-4-5']],
])('a model phrases name and expectations, and what it writes is redacted: %s', async (_, flags) => {
  const cwd = recorded()
  const expectations = ['Dates are in ISO form.', 'The file is mailed to mira@shop.example.']
  await using server = await phrasing({ cases: [{ id: 1, name: 'revenue chart', expectations }] })
  const { code, stderr } = await runMain(['mine', 'sessions', ...flags], { cwd, env: keysFor(server) })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const { evals } = readJson(cwd, 'mined/evals.json')
  expect(evals[0]).toMatchObject({ name: 'revenue chart', review: 'draft' })
  expect(evals[0].expectations).toEqual(['Dates are in ISO form.', 'The file is mailed to [redacted:email].'])
  const asked = JSON.stringify(server.requests)
  expect(asked).toContain('use ISO dates instead')
  expect(asked).not.toContain('mira@')
})

test('an answer without the case keeps its plain expectations, with exit 3; no model is asked without a flag', async () => {
  const cwd = recorded()
  const none = { cases: [{ id: 7, name: 'x', expectations: ['y'] }] }
  await using server = await phrasing(none)
  const asked = await runMain(['mine', 'sessions', '--engine', 'anthropic:claude-haiku-4-5'], {
    cwd,
    env: keysFor(server),
  })
  expect(asked.code).toBe(3)
  expect(asked.stdout.replaceAll(/\s+/g, ' ')).toContain('the model did not phrase all expectations')
  expect(readJson(cwd, 'mined/evals.json').evals[0].expectations).toContain('It writes a file that ends in .xlsx.')
  const before = server.requests.length
  await runMain(['mine', 'sessions', '--out', 'plain'], { cwd, env: keysFor(server) })
  expect(server.requests.length).toBe(before)
})

test('Ctrl-C while it reads or compares leaves nothing behind; without it the files are there', async () => {
  for (const step of ['reading', 'comparing', null]) {
    const cwd = recorded()
    const out = path.join(cwd, 'mined')
    const stop = new AbortController()
    const emit = (event: { type: string; step?: string }) => {
      if (event.type === 'mining' && event.step === step) stop.abort(new Error('Ctrl-C'))
    }
    const { signal } = new AbortController()
    const context = { emit, env: {}, drain: stop.signal, signal, now: () => new Date() }
    const request = { places: [path.join(cwd, 'sessions')], skill: null, out, minCount: 2, maxCases: null, since: null }
    const mined = mine({ ...request, dryRun: false, model: null }, context)
    await (step === null ? mined : expect(mined).rejects.toThrow('Ctrl-C'))
    expect(existsSync(out)).toBe(step === null)
  }
})
