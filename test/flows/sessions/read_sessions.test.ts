/** Recorded sessions of each format: one model, what the person wrote alone, and no crash for what can't be read. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readSessions } from '../../../src/flows/sessions/read_sessions.ts'
import type { Session } from '../../../src/flows/sessions/session.ts'
import { atifSession, claudeSession, codexSession, opencodeSession } from './session_files.ts'

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sessions-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  return folder
}

async function readOne(name: string, text: string): Promise<Session> {
  const { sessions, refused } = await readSessions(path.join(await folderOf({ [name]: text }), name))
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
])('%s: the person, the answer, the skill, and every record', async (agent, name, text) => {
  const session = await readOne(name, text)
  expect(session).toMatchObject({ agent, skills: { read: ['demo'] }, unread: { count: 0, first: null } })
  expect(textsOf(session, 'user')).toEqual(['Add it up.'])
  expect(session.events.at(-1)).toMatchObject({ type: 'result', text: 'all done' })
  expect(session.records).toBeGreaterThan(2)
  expect(session.usage?.output_tokens).toBe(agent === 'claude-code' ? 3 : 2)
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
  const place = await folderOf({
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
  const folder = await folderOf({ [name]: text, 'other.json': '{"name": "no session', 's.jsonl': claudeSession() })
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
  const place = path.join(await folderOf({ [name]: text }), name)
  await expect(readSessions(place)).rejects.toThrow(`${place}: not a session that Whetstone can read: ${why}`)
})

test.each([
  ['first bytes lost', atifSession.slice(12), /^t\.json:1:\d+: not valid JSON/],
  ['version changed', atifSession.replace('ATIF-v', 'AT?F-v'), /^"schema_version" of the trajectory is "AT\?F-v1/],
  ['version lost', atifSession.replace('"schema_version"', '"schema"'), /is missing, expected "ATIF-v1\.0"/],
])(
  'a trajectory that is damaged at its start is refused with the place, also in a folder: %s',
  async (_, text, why) => {
    const folder = await folderOf({ 't.json': text })
    for (const place of [folder, path.join(folder, 't.json')])
      expect((await readSessions(place)).refused).toEqual([
        { file: path.join(folder, 't.json'), reason: expect.stringMatching(why) },
      ])
  },
)
