/** `init --from-sessions`: what it writes, refuses and reports. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { initFromSessions } from '../../../src/features/sessions/draft/init_from_sessions.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'

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

const drafting = ['init', 'sheets', '--from-sessions', 'sessions'] as const

test('drafts cases and queries that check, bench and triggers read', async () => {
  const cwd = recorded()
  const { code, stdout } = await runMain([...drafting], { cwd })
  expect(stdout).toContain('4 sessions: 1 case and 3 trigger queries')
  expect(stdout).toContain('1 email')
  expect(code).toBe(0)
  const { evals, skill_name } = readJson(cwd, 'sheets/evals/evals.json')
  expect(skill_name).toBe('sheets')
  expect(evals).toHaveLength(1)
  expect(evals[0]).toMatchObject({ review: 'draft', origin: { count: 3, corrected: 1, accepted: 1 } })
  expect(['train', 'held_out']).toContain(evals[0].split)
  expect(evals[0].expectations).toEqual([
    'It meets what the user asked for in a correction: "No, use ISO dates instead."',
    'It writes a file that ends in .xlsx.',
  ])
  expect(evals[0].origin.files).toEqual(expect.arrayContaining(['sales.csv', 'q3.csv', 'north.csv']))
  const queries = readJson(cwd, 'sheets/evals/trigger-eval.draft.json')
  expect(queries.filter((one: { should_trigger: boolean }) => one.should_trigger)).toHaveLength(2)
  expect(new Set(queries.map((one: { review: string }) => one.review))).toEqual(new Set(['draft']))
  expect(stdout + JSON.stringify([evals, queries])).not.toMatch(/mira/)
  const checked = await runMain(['check', 'sheets'], { cwd })
  expect(checked).toMatchObject({ code: 0 })
  expect(checked.stdout).toContain('draft')
  const planned = await runMain(['bench', 'sheets', '--dry-run', '--engine', 'command:true', '--judge', 'none'], {
    cwd,
  })
  expect(planned.stderr + planned.stdout).not.toMatch(/is not read/)
  const set = ['--set', 'sheets/evals/trigger-eval.draft.json']
  const asked = await runMain(['triggers', 'sheets', ...set, '--dry-run', '--engine', 'anthropic:opus'], {
    cwd,
    env: { ANTHROPIC_API_KEY: 'k' },
  })
  expect(asked).toMatchObject({ code: 0 })
})

test('nothing is overwritten, and a dry run writes nothing', async () => {
  const cwd = recorded()
  const evals = path.join(cwd, 'sheets/evals')
  const dry = await runMain([...drafting, '--dry-run', '--json'], { cwd })
  expect(JSON.parse(dry.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    ...{ type: 'result', dry_run: true, sessions: 4, evals: [{ id: 1 }] },
  })
  expect(existsSync(evals)).toBe(false)
  await runMain([...drafting], { cwd })
  const before = readFileSync(path.join(evals, 'evals.json'), 'utf8')
  for (const flags of [[], ['--output', 'sheets/evals/more.json']]) {
    const again = await runMain([...drafting, ...flags], { cwd })
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('already exists and is not overwritten')
  }
  expect(readFileSync(path.join(evals, 'evals.json'), 'utf8')).toBe(before)
  expect(readdirSync(evals).sort()).toEqual(['evals.json', 'trigger-eval.draft.json'])
})

test.each([
  [['nowhere'], /no such file or folder/],
  [['empty'], /empty: no recorded sessions/],
  [['sheets/SKILL.md'], /not a session/],
  [['silent'], /no session has a message of a person/],
  [['sessions/d.jsonl'], /none of the 1 sessions asks for a task that another one asks for/],
  [['sessions', '--model', 'opus'], /--from-sessions asks no model/],
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
  const { code, stderr } = await runMain(['init', 'sheets', '--from-sessions', ...args], { cwd })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/\bat .*\.ts:\d/)
  expect(code).toBe(2)
  expect(existsSync(path.join(cwd, 'sheets/evals'))).toBe(false)
})

test('mine says what took its place', async () => {
  const { code, stderr } = await runMain(['mine', 'sessions'], { cwd: fresh() })
  expect(code).toBe(2)
  expect(stderr).toContain('init <skill> --from-sessions')
})

test('Ctrl-C while it reads leaves nothing behind; without it the files are there', async () => {
  for (const stops of [true, false]) {
    const cwd = recorded()
    const stop = new AbortController()
    const emit = () => {
      if (stops) stop.abort(new Error('Ctrl-C'))
    }
    const { signal } = new AbortController()
    const context = { emit, env: {}, drain: stop.signal, signal, now: () => new Date() }
    const places = [path.join(cwd, 'sessions')]
    const request = { places, skill: path.join(cwd, 'sheets'), output: null, cases: 8, dryRun: false }
    const drafted = initFromSessions(request, context)
    await (stops ? expect(drafted).rejects.toThrow('Ctrl-C') : drafted)
    expect(existsSync(path.join(cwd, 'sheets/evals'))).toBe(!stops)
  }
})
