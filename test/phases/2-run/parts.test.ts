/** The parts of a run: environment, working folder, what is collected, the transcript, what an engine's list proves. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ConversationRecord } from '../../../schemas/conversation.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { sha256 } from '../../../src/base/json/json.ts'
import { type EngineReport, emptyReport } from '../../../src/engines/engine.ts'
import { collectChangedFiles, outputLimits, takeSnapshot } from '../../../src/phases/2-run/collect/collect_outputs.ts'
import { countEvents, eventPlaces, transcriptMarkdown } from '../../../src/phases/2-run/collect/transcript.ts'
import {
  describeUnrecordedCalls,
  installRecordings,
} from '../../../src/phases/2-run/recorded_servers/recorded_servers.ts'
import { buildRunRecord, findContamination } from '../../../src/phases/2-run/run_record.ts'
import { buildRunEnvironment } from '../../../src/phases/2-run/workspace/run_environment.ts'
import { SetupError } from '../../../src/phases/2-run/workspace/symlink_traps.ts'
import { prepareWorkspace } from '../../../src/phases/2-run/workspace/working_folder.ts'
import { specOf } from '../../fixtures/run_spec.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'run-test-'))
const signal = new AbortController().signal
const at = '2026-01-15T10:30:00Z'

describe('the environment', () => {
  const user = {
    PATH: '/usr/bin:/suite/bin:/suite',
    HOME: '/home/someone',
    ...{ ANTHROPIC_API_KEY: 'secret', PWD: '/suite', EXTRA: 'yes' },
  }
  const own = { home: '/run/home', mark: 'm', passEnv: ['EXTRA'], hidden: ['/suite'] }
  const environment = buildRunEnvironment({ user, ...own })
  test.each([
    ['its own home', 'HOME', '/run/home'],
    ['no credential', 'ANTHROPIC_API_KEY', undefined],
    ['no folder of the user', 'PWD', undefined],
    ['what was asked for', 'EXTRA', 'yes'],
    ['a PATH that does not name the suite', 'PATH', '/usr/bin'],
    ['its mark', 'PROCESS_GROUP_MARK', 'm'],
  ])('has %s', (_what, name, value) => expect(environment[name]).toBe(value))
})

describe('the working folder', () => {
  const source = fresh()
  writeFileSync(path.join(source, 'in.txt'), 'input')
  mkdirSync(path.join(source, 'data'))
  writeFileSync(path.join(source, 'data/a.csv'), 'a')
  const dataSha256 = sha256(`a.csv\0${sha256('a')}\0`)
  const skill = { name: 'tidy', description: 'd', path: source, sha256: 's' }
  const input = (name: string, kind: 'file' | 'directory', at: string, hash: string) => {
    return { path: at, source: path.join(source, name), kind, sha256: hash, bytes: 5 }
  }
  const files = [
    input('in.txt', 'file', 'evals/files/in.txt', sha256('input')),
    input('data', 'directory', 'data', dataSha256),
  ]
  const base = () => ({
    cwd: path.join(fresh(), 'work'),
    files,
    ...{ git: null, setup: null, skillsFolders: ['.claude/skills'], skill: null, signal },
    env: { PATH: process.env.PATH ?? '', HOME: source },
  })
  const edited = (at: number) => files.slice(at, at + 1).map((file) => ({ ...file, sha256: sha256('before') }))

  test('holds files and folders under their paths', async () => {
    const request = base()
    await prepareWorkspace(request)
    expect(readFileSync(path.join(request.cwd, 'evals/files/in.txt'), 'utf8')).toBe('input')
    expect(readFileSync(path.join(request.cwd, 'data/a.csv'), 'utf8')).toBe('a')
    expect(existsSync(path.join(request.cwd, '.claude'))).toBe(false)
  })
  test('has the skill where discovery looks', async () => {
    const skillFiles = [{ path: 'SKILL.md', source: path.join(source, 'in.txt'), bytes: 5 }]
    const request = { ...base(), skill: { skill, files: skillFiles } }
    const [installed] = await prepareWorkspace(request)
    expect(installed?.path).toBe(path.join(request.cwd, '.claude/skills/tidy'))
    expect(existsSync(path.join(request.cwd, '.claude/skills/tidy/SKILL.md'))).toBe(true)
  })
  test('git: true commits the inputs and hides the skill from git in both arms', async () => {
    const request = { ...base(), git: true as const }
    await prepareWorkspace(request)
    mkdirSync(path.join(request.cwd, '.claude'))
    writeFileSync(path.join(request.cwd, '.claude/x'), '')
    const git = (...args: string[]) => execFileSync('git', args, { cwd: request.cwd, encoding: 'utf8' })
    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '--oneline').trim().split('\n')).toHaveLength(1)
  })
  test('starts from a git bundle', async () => {
    const repo = { ...base(), git: true as const }
    await prepareWorkspace(repo)
    const bundle = path.join(fresh(), 'start.bundle')
    execFileSync('git', ['bundle', 'create', '-q', bundle, 'main'], { cwd: repo.cwd })
    const request = { ...base(), files: [], git: { bundle } }
    await prepareWorkspace(request)
    expect(readFileSync(path.join(request.cwd, 'data/a.csv'), 'utf8')).toBe('a')
    const planned = (content: string | Uint8Array) =>
      prepareWorkspace({ ...base(), files: [], git: { bundle, sha256: sha256(content) } })
    await planned(readFileSync(bundle)) // control
    await expect(planned('another one')).rejects.toThrow(/start\.bundle has changed since the plan/)
  })
  test.each([
    ['a failing setup', { setup: 'echo oh no >&2; exit 4' }, /exit 4.*oh no/s],
    [
      'a missing input',
      { files: [{ path: 'x', source: '/no/such', kind: 'file' as const, sha256: '', bytes: 0 }] },
      /input file/,
    ],
    ['an input that has been edited since the plan', { files: edited(0) }, /in\.txt has changed since the plan/],
    ['a folder of inputs that has', { files: edited(1) }, /data has changed since the plan/],
    ['a bundle that is gone', { git: { bundle: '/no/such', sha256: 'x' } }, /git bundle: .*no such file/],
    ['a broken bundle', { git: { bundle: path.join(source, 'in.txt') } }, /git bundle/],
  ])('%s is a SetupError', async (_what, change, message) => {
    const made = prepareWorkspace({ ...base(), ...change })
    await expect(made).rejects.toThrow(SetupError)
    await expect(made).rejects.toThrow(message)
  })
})

describe('what is collected', () => {
  async function collectedAfter(change: (cwd: string) => void) {
    const cwd = fresh()
    const target = fresh()
    writeFileSync(path.join(cwd, 'input.txt'), 'same')
    writeFileSync(path.join(cwd, 'gone.txt'), 'x')
    mkdirSync(path.join(cwd, '.claude'))
    const before = await takeSnapshot(cwd, { skillsFolders: ['.claude/skills'] })
    change(cwd)
    return { outputs: await collectChangedFiles({ cwd, before, skillsFolders: ['.claude/skills'], target }), target }
  }
  test('new files, nested too, and changed ones; not the untouched inputs, not the skill', async () => {
    const { outputs, target } = await collectedAfter((cwd) => {
      mkdirSync(path.join(cwd, 'a/b'), { recursive: true })
      writeFileSync(path.join(cwd, 'a/b/new.txt'), 'new')
      writeFileSync(path.join(cwd, 'input.txt'), 'diff')
      writeFileSync(path.join(cwd, '.claude/x'), '')
    })
    expect(outputs.files.map((file) => [file.path, file.change])).toEqual([
      ['a/b/new.txt', 'created'],
      ['input.txt', 'modified'],
    ])
    expect(readFileSync(path.join(target, 'a/b/new.txt'), 'utf8')).toBe('new')
  })
  test('links are not followed, large files are left out, each with its reason', async () => {
    const { outputs, target } = await collectedAfter((cwd) => {
      symlinkSync('/etc/passwd', path.join(cwd, 'link'))
      writeFileSync(path.join(cwd, 'huge'), Buffer.alloc(outputLimits.fileBytes + 1))
    })
    expect(outputs.left_out.map((one) => one.path).sort()).toEqual(['huge', 'link'])
    expect(existsSync(path.join(target, 'link'))).toBe(false)
  })
  test.each([false, true])('a working folder that is gone (a file in its place: %s) is all deleted', async (isFile) => {
    const { outputs } = await collectedAfter((cwd) => {
      rmSync(cwd, { recursive: true })
      if (isFile) writeFileSync(cwd, '')
    })
    expect(outputs).toEqual({
      files: [],
      deleted: ['gone.txt', 'input.txt'],
      left_out: [{ path: '.', reason: 'neither a file nor a folder any more' }],
    })
  })
  test('of a home, nothing of what programs keep there', async () => {
    const cwd = fresh()
    for (const name of ['.cache', 'kept']) {
      mkdirSync(path.join(cwd, name))
      writeFileSync(path.join(cwd, name, 'a'), '')
    }
    expect([...(await takeSnapshot(cwd, { skillsFolders: [], isHome: true })).keys()]).toEqual(['kept/a'])
  })
  test('a name that is not UTF-8 is left out; what lies beside it is kept', async () => {
    const { outputs } = await collectedAfter((cwd) => {
      writeFileSync(Buffer.concat([Buffer.from(`${cwd}/bad`), Buffer.from([0xff])]), '')
      writeFileSync(path.join(cwd, 'good.txt'), '')
    })
    expect(outputs.files.map((file) => file.path)).toEqual(['good.txt'])
    expect(outputs.left_out).toEqual([{ path: 'bad\uFFFD', reason: 'its name is not UTF-8' }])
  })
})

describe('the transcript', () => {
  const events = [
    { type: 'user' as const, at, step: 0, text: 'do it' },
    { type: 'assistant' as const, at, step: 1, text: 'reading' },
    { type: 'tool_call' as const, at, step: 1, id: '1', name: 'Read', input: { path: 'a' } },
    { type: 'tool_result' as const, at, step: 1, id: '1', name: 'Read', output: 'has ``` inside', is_error: true },
    { type: 'skill_read' as const, at, step: 1, skill: 'tidy', via: 'Read' },
    { type: 'tool_call' as const, at, step: 2, id: '2', name: 'Read', input: {} },
    { type: 'error' as const, at, step: 2, kind: 'overloaded', message: 'busy' },
  ]
  test('counts calls by tool, steps, errors and skill reads', () => {
    const skillReads = [{ skill: 'tidy', step: 1 }]
    expect(countEvents(events)).toEqual({ toolCalls: { Read: 2 }, steps: 2, errors: 2, skillReads })
  })
  test.each(['constructor', 'toString', '__proto__'])('counts calls of a tool of the name %s', (name) => {
    const call = { type: 'tool_call' as const, at, step: 1, id: '1', name, input: {} }
    expect(Object.entries(countEvents([call, call]).toolCalls)).toEqual([[name, 2]])
  })
  test('reads in order, the prompt first, fences longer than what they hold', () => {
    const text = transcriptMarkdown('do it', events)
    expect(text.startsWith('## Eval Prompt\n\ndo it\n')).toBe(true)
    expect(text).toContain('````\nhas ``` inside\n````')
    expect(text.indexOf('## Step 1')).toBeLessThan(text.indexOf('## Step 2'))
    expect(text.match(/do it/g)).toHaveLength(1)
  })
  test.each([
    ['the task is what the user says first', 'do it'],
    ['the task is said nowhere', 'another task'],
  ])('leads back to its events: %s', (_what, prompt) => {
    const text = transcriptMarkdown(prompt, events)
    const said = eventPlaces(text, events)?.map(({ event, start, end }) => [event, text.slice(start, end)])
    const others = [
      [1, 'reading'],
      [2, '{\n  "path": "a"\n}'],
      [3, 'has ``` inside'],
      [4, ''],
      [5, '{}'],
      [6, 'busy'],
    ]
    expect(said?.filter(([event]) => event !== 0)).toEqual(others)
  })
  test('numbers the messages of a conversation, not what the engine says as the user, and leads back to them', () => {
    const turns = ['do it', 'do it', 'more'].map((prompt, at) => ({ prompt, answer: 'a', step: at + 1 }))
    const conversation: ConversationRecord = { turns, ended: 'all_delivered' }
    const said = (text: string, step: number) => ({ type: 'user' as const, at, step, text })
    const talk = [said('do it', 0), said('a reminder', 1), said('do it', 1), said('more', 2)]
    const text = transcriptMarkdown('do it', talk, conversation)
    expect(text).toMatch(/^## Eval Prompt\n\ndo it\n\n## Step 1\n\n\*\*User\*\*\n\na reminder\n/)
    expect(text).toContain('## Message 2 of the user\n\ndo it\n')
    expect(text).toContain('## Message 3 of the user\n\nmore\n')
    const places = eventPlaces(text, talk, conversation)
    expect(places?.map(({ event, start, end }) => [event, text.slice(start, end)])).toEqual([
      [1, 'a reminder'],
      [2, 'do it'],
      [3, 'more'],
    ])
    expect(eventPlaces(text, talk)).toBeNull() // with other headings it is another text
  })
  test('leads nowhere from a transcript of other events', () => {
    expect(eventPlaces(transcriptMarkdown('do it', events), events.slice(0, -1))).toBe(null)
  })
})

describe('recorded answers of MCP servers', () => {
  const missed = (call: string) => {
    const output = `not in the recording of ${call}. This MCP server is recorded`
    return { type: 'tool_result' as const, at, step: 1, id: '1', name: 'm', output, is_error: true }
  }
  test.each([
    [['crm: find {}'], 'a call of an MCP tool was not in the recording, so the agent got an error (crm: find {}).'],
    [['crm: find {}', 'crm: get {}'], '2 calls of MCP tools were not in the recording'],
  ])('that lack %j are told', (calls, said) => expect(describeUnrecordedCalls(calls.map(missed))).toContain(said))
  test('that have changed since the plan are a SetupError', async () => {
    const source = path.join(fresh(), 'crm.json')
    writeFileSync(source, '{}')
    const install = (hash: string) =>
      installRecordings(
        {
          mcp_servers: { crm: { command: 'crm' } },
          recordings: { crm: { path: 'crm.json', source, kind: 'file', sha256: hash, bytes: 2 } },
        },
        fresh(),
      )
    expect(await install(sha256('{}'))).toMatchObject({ crm: { command: process.execPath } })
    await expect(install(sha256('[]'))).rejects.toThrow('crm.json has changed since the plan')
  })
})

describe('the record', () => {
  const recordOf = (changes: Partial<RunSpec>, report: Partial<EngineReport>, events: TranscriptEvent[] = []) =>
    buildRunRecord({
      request: { spec: specOf(changes), engine: { name: 'command' }, attempt: 1 },
      end: {
        outcome: { status: 'completed', report: { ...emptyReport, ...report } },
        ...{ startedAt: new Date(at), endedAt: new Date(at), durationMs: 1000, before: null },
      },
      ...{ outputs: { files: [], deleted: [], left_out: [] }, events, sandbox: null },
    })
  test('does not count the time in which the provider kept it waiting', () =>
    expect(recordOf({}, { waitedMs: 400 }).duration_ms).toBe(600))
  describe('of an answer that is a tool call as text', () => {
    const finalResponse = '{"name": "Read", "arguments": {"file_path": "a.md"}}'
    const loadedWith = (tools: string[] | null) => ({ loaded: { skills: ['tidy'], tools, mcp_servers: null } })
    const skill = { name: 'tidy', description: '', path: '', sha256: '' }
    test('says so, and not that the skill was left unread', () =>
      expect(recordOf({ skill }, { finalResponse, ...loadedWith(['Read']) })).toMatchObject({
        text_tool_call: true,
        skill: { read: null },
      }))
    test.each([[[]], [null]])('is an answer like any other where tools were %j', (tools) => {
      const record = recordOf({ skill }, { finalResponse, ...loadedWith(tools) })
      expect(record).not.toHaveProperty('text_tool_call')
      expect(record.skill.read).toBe(false)
    })
  })
  test('an answer in the form of a call counts as an answer where the model has called a tool', () => {
    const event = { type: 'tool_call', step: 1, id: 'a', name: 'Read', input: {} } as unknown as TranscriptEvent
    const report = {
      finalResponse: '{"name": "ls", "arguments": ["-la"]}',
      loaded: { skills: [], tools: ['Read'], mcp_servers: null },
    }
    expect(recordOf({}, report, [event])).not.toHaveProperty('text_tool_call')
    expect(recordOf({}, report)).toHaveProperty('text_tool_call') // control
  })
  test('says how the description of its skill came, unless the model learns of the skill otherwise', () => {
    const skill = { name: 'tidy', description: '', path: '', sha256: '' }
    const report = {
      offers: { tidy: 'cut', other: 'full' } as const,
      loaded: { skills: ['tidy', 'other', 'own'], tools: null, mcp_servers: null },
    }
    expect(recordOf({ skill }, report).skill.listing).toEqual({ description: 'cut', others: 2 })
    expect(recordOf({ skill }, { offers: { tidy: 'full' } }).skill.listing).toEqual({
      description: 'full',
      others: null,
    })
    const others = [recordOf({ skill }, {}), recordOf({ skill, activation: 'loaded' }, report), recordOf({}, report)]
    for (const one of others) expect(one.skill).not.toHaveProperty('listing')
  })
  test('says nothing of other skills where the engine lists none, and none was seen', () => {
    const among = [{ name: 'other', description: '', path: '', sha256: '' }]
    expect(recordOf({ among }, {})).not.toHaveProperty('skills_read')
    expect(recordOf({ among }, { loaded: { skills: ['other'], tools: null, mcp_servers: null } })).toHaveProperty(
      'skills_read',
      [],
    )
  })
})

describe('what the engine lists', () => {
  const skill = { name: 'tidy', description: '', path: '', sha256: '' }
  const arm = (part: Pick<RunSpec, 'skill' | 'absent_skill'>) => part as RunSpec
  test.each([
    ['the skill in the arm without it', arm({ skill: null, absent_skill: 'tidy' }), ['tidy'], 'contaminated'],
    ['the skill of a plugin in that arm', arm({ skill: null, absent_skill: 'tidy' }), ['p:tidy'], 'contaminated'],
    ['another skill in that arm', arm({ skill: null, absent_skill: 'tidy' }), ['tidy-up'], undefined],
    ['no skill in the arm with it', arm({ skill, absent_skill: null }), ['other'], 'skill_not_offered'],
    ['the skill in the arm with it', arm({ skill, absent_skill: null }), ['tidy'], undefined],
  ])('%s', (_what, spec, loaded, kind) => expect(findContamination(spec, loaded)?.kind).toBe(kind))
})
