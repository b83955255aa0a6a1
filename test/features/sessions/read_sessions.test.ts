/** Recorded sessions of each format: one model, what the person wrote alone, no crash for what can't be read; graded, they are an observational benchmark. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readSessions } from '../../../src/features/sessions/read_sessions.ts'
import type { Session } from '../../../src/features/sessions/session.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { folderOf } from '../../store/folder_of.ts'
import {
  atifSession,
  blockMessages,
  chatMessages,
  claudeSession,
  codexSession,
  copilotSession,
  geminiDocument,
  geminiSession,
  inspectLog,
  opencodeSession,
  piSession,
  sweMessages,
} from './session_files.ts'

async function readOne(name: string, text: string): Promise<Session> {
  const { sessions, refused } = await readSessions(path.join(folderOf({ [name]: text }), name))
  expect(refused).toEqual([])
  const [session] = sessions
  if (session === undefined) throw new Error('no session')
  return session
}

const textsOf = ({ events }: Session, type: string) =>
  events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : []))

test.each([
  ['claude-code', 's.jsonl', claudeSession()],
  ['codex', 'rollout-1.jsonl', codexSession],
  ['opencode', 'export.json', opencodeSession],
  ['atif', 'trajectory.json', atifSession],
  ['pi', 's.jsonl', piSession],
  ['gemini', 'session-1.jsonl', geminiSession],
  ['gemini', 'session-1.json', geminiDocument],
  ['copilot', 'events.jsonl', copilotSession],
])('%s: the person, the answer, the skill, and every record', async (agent, name, text) => {
  const session = await readOne(name, text)
  expect(session).toMatchObject({ agent, skills: { read: ['demo'] }, unread: { count: 0, first: null } })
  expect(textsOf(session, 'user')).toEqual(['Add it up.'])
  expect(session.events.at(-1)).toMatchObject({ type: 'result', text: 'all done' })
  expect(session.records).toBeGreaterThan(2)
  expect(session.usage?.output_tokens).toBe(agent === 'claude-code' ? 3 : 2)
})

const holder = (field: string, more: object = {}) => JSON.stringify({ ...more, [field]: chatMessages })

test.each([
  ['a list', 'x.json', JSON.stringify(chatMessages)],
  ['a message a line', 'x.jsonl', chatMessages.map((one) => JSON.stringify(one)).join('\n')],
  ['a conversation a line', 'x.jsonl', `${holder('messages')}\n`],
  ['a field of an object', 'x.json', holder('conversation')],
  ["tau-bench's list of runs", 'x.json', `[${holder('traj', { task_id: 3, trial: 0 })}]`],
  ["Anthropic's blocks", 'x.json', JSON.stringify({ messages: blockMessages })],
  ["SWE-agent's history", 'x.traj', JSON.stringify({ trajectory: [{ action: 'x' }], history: sweMessages })],
  [
    "mini-swe-agent's",
    'x.traj.json',
    JSON.stringify({
      trajectory_format: 'mini-swe-agent-1.1',
      messages: sweMessages.slice(1).map(({ role, content }) => ({ role, content })),
    }),
  ],
  ['a log of Inspect', 'x.json', JSON.stringify(inspectLog)],
])('messages of a chat API: %s', async (_, name, text) => {
  const session = await readOne(name, text)
  expect(textsOf(session, 'user')).toEqual(['Add it up.'])
  expect(session.events.at(-1)).toMatchObject({ type: 'result', text: 'all done' })
  const [call] = session.events.flatMap((event) => (event.type === 'tool_call' ? [JSON.stringify(event.input)] : []))
  expect(call).toContain('skills/demo/SKILL.md')
  const [result] = session.events.flatMap((event) => (event.type === 'tool_result' ? [event] : []))
  if (name === 'x.json' && text.includes('attachment:')) {
    expect(result).toMatchObject({ is_error: true })
    expect(session).toMatchObject({ model: 'openai/gpt-x', id: expect.stringMatching(/x\.json id=1 epoch=2$/) })
    expect(session.usage).toMatchObject({ input_tokens: 5, cache_read_tokens: 4, output_tokens: 2 })
  } else {
    expect(result).toMatchObject({ output: 'BODY', is_error: false })
    expect(session.skills.read).toEqual(['demo'])
  }
})

test('words beside a result, calls of the older form, answers in other blocks and refusals are kept', async () => {
  const call = { name: 'read', arguments: '{"path":"a"}' }
  const { events } = await readOne(
    'x.json',
    JSON.stringify([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: null, function_call: call },
      { role: 'function', name: 'read', content: 'A' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'B' },
          { type: 'text', text: 'Two' },
        ],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
      { role: 'user', content: 'Three' },
      { role: 'assistant', content: null, refusal: 'No.' },
    ]),
  )
  const shown = events.flatMap((one) => {
    if (one.type === 'tool_result') return `${one.name} gave ${one.output}`
    return 'text' in one ? `${one.type}: ${one.text}` : one.type
  })
  expect(shown).toEqual([
    ...['user: One', 'tool_call', 'read gave A', 'tool_call', 'read gave B', 'user: Two', 'assistant: done'],
    ...['user: Three', 'assistant: No.', 'result: No.'],
  ])
})

test('entries of a file that hold no conversation, and a trajectory that was cut, are left out by name', async () => {
  const runs = [{ traj: chatMessages }, { traj: [{ role: 'user', content: 'Hi' }] }, 'x']
  const place = folderOf({ 'runs.json': JSON.stringify(runs), 'cut.traj': '{"history": [' })
  const { sessions, refused } = await readSessions(place)
  expect(sessions).toHaveLength(1)
  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^cut\.traj:1:\d+: not valid JSON/),
    '2 of its 3 entries have no conversation that can be read',
  ])
})

test('each conversation of a file is a session; lists without an answer are none', async () => {
  const runs = [0, 1].map((trial) => ({ task_id: 3, trial, traj: chatMessages }))
  const place = folderOf({
    'runs.json': JSON.stringify(runs),
    'prompts.json': JSON.stringify([{ role: 'user', content: 'Hi' }]),
    'tsconfig.json': '{"compilerOptions": {}}',
  })
  const { sessions, refused } = await readSessions(place)
  expect(sessions.map(({ id }) => id.replace(place, ''))).toEqual([
    '/runs.json task_id=3 trial=0',
    '/runs.json task_id=3 trial=1',
  ])
  expect(refused).toEqual([])
})

test('a repeated record counts once, a call that was cut off has no result, and a sub-agent is not the agent', async () => {
  const { events } = await readOne('s.jsonl', claudeSession())
  expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(2)
  expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1)
  expect(JSON.stringify(events)).not.toContain('SIDE')
})

test('a failed command is an error; cached tokens are not input', async () => {
  const { events, usage } = await readOne('r.jsonl', codexSession)
  expect(events.flatMap((event) => (event.type === 'tool_result' ? [event.is_error] : []))).toEqual([false, true])
  expect(usage).toMatchObject({ input_tokens: 5, cache_read_tokens: 4 })
})

test('a cut last line and an unknown type are counted, with the place of the first', async () => {
  const odd = `${claudeSession()}{"type":"new-thing","sessionId":"s"}\n{"type":"assi`
  const { unread } = await readOne('s.jsonl', odd)
  expect(unread.count).toBe(2)
  expect(unread.first).toMatch(/^line \d+: \{"type":"new-thing"/)
})

test('a folder: other files are skipped, a copy that another file continues is left out, a database is named', async () => {
  const long = `${claudeSession()}${claudeSession({ prompt: 'And now?' })}`
  const place = folderOf({
    'a/one.jsonl': claudeSession(),
    'a/two.jsonl': long,
    'b/r.jsonl': codexSession,
    'package.json': '{"name":"x"}',
    'log.jsonl': '{"a":1}\n',
    'opencode.db': 'x',
  })
  const { sessions, refused } = await readSessions(place)
  expect(sessions.map(({ file }) => path.basename(file)).sort()).toEqual(['r.jsonl', 'two.jsonl'])
  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('opencode export'),
    'two.jsonl repeats it and continues',
  ])
})

test.each([
  ['empty', 'x.jsonl', '', 'the file is empty'],
  ['cut', 'trajectory.json', atifSession.slice(0, -40), /^trajectory\.json:1:\d+: not valid JSON/],
  [
    'with a byte that is not text',
    'export.json',
    opencodeSession.replace('"parts"', '\0"parts"'),
    /^export\.json:\d+:\d+: not valid/,
  ],
])('a damaged file is refused with the place, also in a folder: %s', async (_, name, text, reason) => {
  const folder = folderOf({ [name]: text, 'other.json': '{"name": "no session', 's.jsonl': claudeSession() })
  for (const place of [folder, path.join(folder, name)]) {
    const { refused } = await readSessions(place)
    expect(refused).toEqual([{ file: path.join(folder, name), reason: expect.stringMatching(reason) }])
  }
})

test.each([
  ['x.json', '{"name":"x"}', 'JSON with "name"; expected "schema_version" and "steps" (ATIF)'],
  ['x.json', '[1]', 'JSON that is not an object'],
  ['x.jsonl', '{"a":1}\n{"b":2}\n', 'none of its first 2 lines is a record of an agent; line 1 is JSON with "a"'],
  ['x.json', '\u0001{"name": "x"}', 'x.json:1:1: not valid JSON'],
  ['SKILL.md', '---\nname: x\n', 'SKILL.md:1:2: not valid JSON'],
])('a file that is not a session is refused with what was expected: %s %j', async (name, text, why) => {
  const place = path.join(folderOf({ [name]: text }), name)
  await expect(readSessions(place)).rejects.toThrow(`${place}: not a session that Whetstone can read: ${why}`)
})

test.each([
  ['first bytes lost', atifSession.slice(12), /^t\.json:1:\d+: not valid JSON/],
  ['version changed', atifSession.replace('ATIF-v', 'AT?F-v'), /^"schema_version" of the trajectory is "AT\?F-v1/],
  ['version lost', atifSession.replace('"schema_version"', '"schema"'), /is missing, expected "ATIF-v1\.0"/],
])(
  'a trajectory that is damaged at its start is refused with the place, also in a folder: %s',
  async (_, text, why) => {
    const folder = folderOf({ 't.json': text })
    for (const place of [folder, path.join(folder, 't.json')])
      expect((await readSessions(place)).refused).toEqual([
        { file: path.join(folder, 't.json'), reason: expect.stringMatching(why) },
      ])
  },
)

const check = { type: 'contains', value: 'done', target: 'answer' }
const suiteOf = (checks: readonly object[]) => ({ skill_name: 'demo', evals: [{ id: 1, prompt: 'add it up', checks }] })

/** Two sessions with the skill, one of which answers well, and one without it that does not. */
function place(checks: readonly object[] = [check]): string {
  const cwd = fresh()
  mkdirSync(path.join(cwd, 'demo/evals'), { recursive: true })
  mkdirSync(path.join(cwd, 'sess'))
  writeFileSync(path.join(cwd, 'demo/SKILL.md'), '---\nname: demo\ndescription: Shows things.\n---\nBODY\n')
  writeFileSync(path.join(cwd, 'demo/evals/evals.json'), JSON.stringify(suiteOf(checks)))
  writeFileSync(path.join(cwd, 'sess/a.jsonl'), claudeSession())
  writeFileSync(path.join(cwd, 'sess/b.jsonl'), claudeSession({ skill: false, answer: 'no' }))
  writeFileSync(path.join(cwd, 'sess/c.jsonl'), claudeSession({ prompt: 'Something else' }))
  return cwd
}

const grade = (cwd: string, ...more: string[]) =>
  runMain(['grade', '--session', 'sess', '--skill', 'demo', ...more], { cwd })

/** Whether each statement of the run passed. */
function readPassed(cwd: string, run: string): boolean[] {
  const { expectations } = JSON.parse(readResult(cwd, `eval-1-add-it-up/${run}/grading.json`))
  return expectations.map(({ passed }: { passed: boolean }) => passed)
}

function readResult(cwd: string, name: string) {
  const [stamp = ''] = readdirSync(path.join(cwd, 'workspaces/demo/recorded')).sort()
  return readFileSync(path.join(cwd, 'workspaces/demo/recorded', stamp, name), 'utf8')
}

test('compares, says everywhere that it is observational, and tests nothing', async () => {
  const cwd = place()
  const { code, stdout, stderr } = await grade(cwd, '--gate', 'run_summary.with_skill.pass_rate.mean >= 1')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stderr).toContain('1 of 3 sessions are not graded')
  const benchmark = JSON.parse(readResult(cwd, 'benchmark.json'))
  expect(benchmark).toMatchObject({ observational: true, complete: true, counts: { planned: 2, used: 2 } })
  expect(benchmark.run_summary).toMatchObject({
    with_skill: { pass_rate: { mean: 1 } },
    without_skill: { pass_rate: { mean: 0 } },
  })
  expect(benchmark.statistics.scopes.these_cases).toMatchObject({ verdict: 'inconclusive', rule: 'observational' })
  expect(benchmark.statistics.scopes.these_cases.difference).toMatchObject({ mean: 1, p_value: null })
  const said = 'people chose when to use the skill; differences may have other causes'
  for (const text of [stdout.replaceAll(/\s+/g, ' '), readResult(cwd, 'benchmark.md'), readResult(cwd, 'report.html')])
    expect(text).toContain(said)
  const run = JSON.parse(readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/run.json'))
  expect(run).toMatchObject({ observed: true, skill: { offered: true, read: true }, engine: { name: 'claude-code' } })
})

test('a gate that does not hold ends with 1, and --dry-run writes nothing', async () => {
  const cwd = place()
  expect((await grade(cwd, '--dry-run')).code).toBe(0)
  expect(existsSync(path.join(cwd, 'workspaces'))).toBe(false)
  expect((await grade(cwd, '--gate', 'run_summary.without_skill.pass_rate.mean >= 1')).code).toBe(1)
})

test('checks on files are undecided, until --files names the folder', async () => {
  const cwd = place([
    { type: 'file_exists', path: 'out.txt' },
    { type: 'file_absent', path: 'no.txt' },
  ])
  expect((await grade(cwd)).code).toBe(3)
  const grading = JSON.parse(readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/grading.json'))
  expect(grading.expectations).toEqual([])
  expect(grading.judge_errors.map(({ reason }: { reason: string }) => reason)).toEqual(
    Array(2).fill(expect.stringContaining('give the folder with --files')),
  )
  mkdirSync(path.join(cwd, 'left'))
  writeFileSync(path.join(cwd, 'left/out.txt'), 'x')
  const one = ['grade', '--session', 'sess/a.jsonl', '--skill', 'demo', '--files', 'left']
  const { code, stdout } = await runMain(one, { cwd })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.anything() })
})

const later = [check, { type: 'contains', value: 'mean', target: 'answer', turn: 2 }]

test('a statement about a later message is graded on the answer to it, or left out if there is no such message', async () => {
  const cwd = place(later)
  writeFileSync(
    path.join(cwd, 'sess/a.jsonl'),
    claudeSession({ more: [{ prompt: 'And now?', answer: 'the mean is done' }] }),
  )
  writeFileSync(path.join(cwd, 'sess/d.jsonl'), claudeSession({ id: 'd', more: [{ prompt: 'And?', answer: 'no' }] }))
  const { code, stderr } = await grade(cwd, '--json')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(readPassed(cwd, 'with_skill/run-1')).toEqual([true, true])
  expect(readPassed(cwd, 'with_skill/run-2')).toEqual([false, false])
  expect(readPassed(cwd, 'without_skill/run-1')).toEqual([false])
  const run = JSON.parse(readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/run.json'))
  expect(run.conversation.turns.map(({ prompt }: { prompt: string }) => prompt)).toEqual(['Add it up.', 'And now?'])
  const plan = JSON.parse(readResult(cwd, 'plan.json'))
  expect(plan.warnings).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/^1 statement over 3 sess/) }),
  ])
})

const failedCall = { type: 'system', subtype: 'api_error', content: 'overloaded', sessionId: 's', uuid: 'last' }

test.each([
  ['no answer', claudeSession({ skill: false }).split('\n').slice(0, 3).join('\n'), 'the session has no answer'],
  ['an error at its end', `${claudeSession({ skill: false })}${JSON.stringify(failedCall)}\n`, 'ended with an error'],
])('a session with %s is a failed run in no rate; without that it is graded', async (_, text, message) => {
  const cwd = place()
  const file = path.join(cwd, 'sess/b.jsonl')
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, text)
  const { code } = await grade(cwd)
  expect(code).toBe(3)
  const run = JSON.parse(readResult(cwd, 'eval-1-add-it-up/without_skill/run-1/run.json'))
  expect(run).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(message) } })
  expect(JSON.parse(readResult(cwd, 'benchmark.json')).counts).toMatchObject({ planned: 2, used: 1 })
  writeFileSync(file, whole)
  expect((await grade(cwd)).code).toBe(0)
})

test('clean lists recorded sessions, keeps the last ones, and removes their transcripts; benchmarks have no part in it', async () => {
  const cwd = place()
  await grade(cwd)
  const shown = await runMain(['clean', '--json'], { cwd })
  expect(JSON.parse(shown.stdout).workspaces[0].kinds).toContainEqual(
    expect.objectContaining({ kind: 'recorded', folders: 1 }),
  )
  const removed = await runMain(['clean', '--transcripts', '--yes', '--json'], { cwd })
  expect(JSON.parse(removed.stdout).removals).toEqual([expect.objectContaining({ kind: 'recorded' })])
  expect(() => readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/transcript.jsonl')).toThrow('ENOENT')
  expect(readPassed(cwd, 'with_skill/run-1')).toEqual([true])
})

test.each([
  [['--session', 'none'], 'no such file'],
  [['--session', 'demo/SKILL.md', '--skill', 'demo'], 'not a session'],
  [['--session', 'sess'], 'no statements'],
  [['--session', 'sess/c.jsonl', '--skill', 'demo'], 'no session begins with the prompt of a case'],
  [['--session', 'sess', '--skill', 'demo', '--files', 'demo'], '3 sessions, and one folder'],
  [['--session', 'sess', '--skill', 'demo', '--fail-on', 'hurts'], '"verdict != hurts" with --session: recorded'],
  [['--session', 'sess', '--skill', 'demo', '--gate', 'ci_low > 0'], '"ci_low > 0" with --session: recorded'],
  [['bench', '--expect', 'x'], '--expect without --session'],
  [[], 'nothing to grade'],
])('%j is refused before anything is written', async (args, message) => {
  const cwd = place()
  const more = args.includes('none') ? ['--skill', 'demo'] : []
  const { code, stderr } = await runMain(['grade', ...args, ...more], { cwd })
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  expect(existsSync(path.join(cwd, 'workspaces'))).toBe(false)
})
