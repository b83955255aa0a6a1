/** MCP servers recorded once and replayed in runs: the same answers without the server, errors for what was not recorded. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeSkill, plainEnvironment } from '../program.ts'
import { bench, newestIn, withModel } from './benched.ts'

const bin = path.join(import.meta.dirname, '../../../dist/program/bin.js')
/** The real server needs its packages. */
const repository = path.join(import.meta.dirname, '../../..')
const real = path.join(import.meta.dirname, '../../fixtures/servers/lookup.mjs')

function makeLookupSkill(server: string, token = 'secret-of-lookup-1'): string {
  const mcp_servers = { lookup: { command: process.execPath, args: [server], env: { LOOKUP_TOKEN: token } } }
  const checks = [{ type: 'contains', value: 'Done' }]
  return makeSkill([{ id: 1, name: 'looks', prompt: 'look up, please', checks, environment: { mcp_servers } }])
}

/** Records these words through the program, as an agent would. */
async function record(
  skill: string,
  words: readonly string[],
  { env = {}, flags = [] }: { env?: Record<string, string>; flags?: readonly string[] } = {},
): Promise<string[]> {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'record-mcp', skill, '--trust-suite', '--allow-read', repository, ...flags],
      env: { ...plainEnvironment(), ...env },
    }),
  )
  await client.listTools()
  const answers: string[] = []
  for (const word of words) {
    const answer = await client.callTool({ name: 'look_up', arguments: { word } })
    answers.push(JSON.stringify(answer.content))
  }
  await client.close()
  return answers
}

const scenario = (words: readonly string[]) =>
  JSON.stringify({
    rules: [
      {
        name: 'looks up',
        when: { turn: 1, tool: '^mcp__lookup__look_up$' },
        tool_calls: words.map((word) => ({ name: 'mcp__lookup__look_up', input: { word } })),
      },
      { name: 'ends', text: 'Done.' },
    ],
  })

const recordingIn = (skill: string) => path.join(skill, 'evals/mcp/lookup.json')

/** `bench` of it by an agent that looks up these words; `log`: all that the model was told. */
function benched(skill: string, words: readonly string[], flags: readonly string[] = []) {
  return withModel(scenario(words), async (env, server) => {
    const end = await bench({ skill, env }, '--runs', '1', ...flags)
    const read = (name: string) => newestIn(end.workspace).read(`eval-1-looks/with_skill/run-1/${name}`)
    const record = () => JSON.parse(read('run.json'))
    return { end, read, record, log: JSON.stringify(server.requests), calls: server.requests.length }
  })
}

describe('a recorded MCP server', () => {
  let recording: string
  beforeAll(async () => {
    const skill = makeLookupSkill(real)
    expect((await record(skill, ['owl', 'elk'])).join()).toContain('REAL-ANSWER 2: elk')
    recording = readFileSync(recordingIn(skill), 'utf8')
  })
  /** Its server is gone. */
  const recorded = (text = recording) => {
    const skill = makeLookupSkill('/nonexistent/lookup.mjs')
    mkdirSync(path.dirname(recordingIn(skill)), { recursive: true })
    writeFileSync(recordingIn(skill), text)
    return skill
  }

  test('gives the recorded answers in both configurations though the server is gone', async () => {
    const kept = { server: 'lookup', tools: [{ name: 'look_up' }], calls: [{ tool: 'look_up' }, {}] }
    expect(JSON.parse(recording)).toMatchObject(kept)
    const skill = recorded()
    const { end, log } = await benched(skill, ['elk', 'owl', 'owl'])
    expect(end.code, end.stderr).toBe(0)
    expect(log).toContain('REAL-ANSWER 2: elk')
    const { records, read } = newestIn(end.workspace)
    expect(records.map(({ warnings }) => warnings)).toEqual([[], []])
    for (const arm of ['with_skill', 'without_skill']) {
      expect(read(`eval-1-looks/${arm}/run-1/transcript.md`).match(/REAL-ANSWER 1: owl/g)?.length).toBe(2)
    }
    const live = await benched(skill, ['owl'], ['--live-mcp'])
    expect(live.record().error).toMatchObject({ kind: 'setup' })
  })
  test('holds no secret of the server', () => {
    expect(recording).not.toContain('secret-of-lookup-1')
    expect(recording).toContain('[redacted:LOOKUP_TOKEN]')
  })
  test("the server gets a variable of the user's with --pass-env, and its value is not recorded", async () => {
    const skill = makeLookupSkill(real, '$' + '{LOOKUP_TOKEN}')
    const env = { LOOKUP_TOKEN: 'token-of-the-user-1' }
    await expect(record(skill, ['owl'], { env })).rejects.toThrow()
    const answers = await record(skill, ['owl'], { env, flags: ['--pass-env', 'LOOKUP_TOKEN'] })
    expect(answers.join()).toContain('token-of-the-user-1')
    const text = readFileSync(recordingIn(skill), 'utf8')
    expect(text).toContain('[redacted:LOOKUP_TOKEN]')
    expect(text).not.toContain('token-of-the-user-1')
  })
  test('an unrecorded call is an error for the agent and a warning of the run', async () => {
    const { record, log } = await benched(recorded(), ['owl', 'newt'])
    expect(log).toContain('not in the recording of lookup: look_up with')
    expect(log).not.toContain('REAL-ANSWER 2')
    expect(record().warnings).toEqual([
      expect.stringMatching(
        /^a call of an MCP tool was not in the recording, so the agent got an error \(lookup: look_up with \{.*newt.*\}\)\. Record again, or use --live-mcp$/,
      ),
    ])
  })
  test('that is broken stops the benchmark before anything is paid for, with file and fix', async () => {
    const { end, calls } = await benched(recorded(recording.replace('"look_up"', '7')), ['owl'])
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/evals\/mcp\/lookup\.json[\s\S]*record it again/)])
    expect(calls).toBe(0)
  })
  test('negative control: without a recording the real server answers', async () => {
    const { end, log } = await benched(makeLookupSkill(real), ['newt'], ['--allow-read', repository])
    expect(end.code, end.stderr).toBe(0)
    expect(log).toContain('REAL-ANSWER 1: newt')
  })
})

test('a server with a url is refused before anything is paid for where the sandbox has no network', async () => {
  const environment = { mcp_servers: { far: { type: 'http', url: 'http://127.0.0.1:1/mcp' } } }
  const checks = [{ type: 'contains', value: 'Done' }]
  const skill = makeSkill([{ id: 1, name: 'looks', prompt: 'look up, please', checks, environment }])
  const closed = await benched(skill, ['owl'], ['--sandbox', 'required'])
  const message = 'the MCP server far has a url, and agents in the sandbox have no network'
  expect([closed.end.code, closed.end.stderr, closed.calls]).toEqual([2, expect.stringContaining(message), 0])
})
