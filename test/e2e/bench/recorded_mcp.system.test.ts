/** MCP servers recorded once and replayed in runs: the same answers without the server, errors for what was not recorded. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, test } from 'vitest'
import { practice } from '../../engines/stage.ts'
import { fresh, makeSkill, plainEnvironment, whetstone } from '../program.ts'

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
async function record(skill: string, words: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'record-mcp', skill],
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

async function benched(skill: string, words: readonly string[], flags: readonly string[] = []) {
  await using server = await practice(scenario(words))
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice-key' }
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', skill, '--engine', 'anthropic:practice-1', '--runs', '1', '--workspace', workspace, ...flags]
  const end = await whetstone(args, { env })
  const read = (arm: string, name: string) => {
    const benchmarks = path.join(workspace, 'benchmarks')
    const folder = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '', 'eval-1-looks', arm, 'run-1')
    return readFileSync(path.join(folder, name), 'utf8')
  }
  return { end, read, log: JSON.stringify(server.requests), calls: server.requests.length }
}

describe('a recorded MCP server', () => {
  test('gives the recorded answers in both configurations though the server is gone', async () => {
    const skill = makeLookupSkill(real)
    const answers = await record(skill, ['owl', 'elk'])
    expect(answers.join()).toContain('REAL-ANSWER 2: elk')
    const file = path.join(skill, 'evals/mcp/lookup.json')
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    expect(kept).toMatchObject({ server: 'lookup', tools: [{ name: 'look_up' }], calls: [{ tool: 'look_up' }, {}] })
    const suite = path.join(skill, 'evals/evals.json')
    writeFileSync(suite, readFileSync(suite, 'utf8').replace(real, '/nonexistent/lookup.mjs'))
    const { end, read, log } = await benched(skill, ['elk', 'owl', 'owl'])
    expect(end, end.stderr).toMatchObject({ code: 0 })
    expect(log).toContain('REAL-ANSWER 2: elk')
    for (const arm of ['with_skill', 'without_skill']) {
      expect(read(arm, 'transcript.md').match(/REAL-ANSWER 1: owl/g)?.length).toBe(2)
      expect(JSON.parse(read(arm, 'run.json')).warnings).toEqual([])
    }
    const live = await benched(skill, ['owl'], ['--live-mcp'])
    expect(JSON.parse(live.read('with_skill', 'run.json')).error).toMatchObject({ kind: 'setup' })
  })
  test('the recording holds no secret of the server', async () => {
    const skill = makeLookupSkill(real)
    await record(skill, ['owl'])
    const text = readFileSync(path.join(skill, 'evals/mcp/lookup.json'), 'utf8')
    expect(text).not.toContain('secret-of-lookup-1')
    expect(text).toContain('[redacted:LOOKUP_TOKEN]')
  })
  test('the server gets a variable of the user’s, and its value is not recorded', async () => {
    const skill = makeLookupSkill(real, '$' + '{LOOKUP_TOKEN}')
    await expect(record(skill, ['owl'])).rejects.toThrow()
    const answers = await record(skill, ['owl'], { LOOKUP_TOKEN: 'token-of-the-user-1' })
    expect(answers.join()).toContain('token-of-the-user-1')
    const text = readFileSync(path.join(skill, 'evals/mcp/lookup.json'), 'utf8')
    expect(text).toContain('[redacted:LOOKUP_TOKEN]')
    expect(text).not.toContain('token-of-the-user-1')
  })
  test('a server with a url is refused before anything is paid for where the sandbox has no network', async () => {
    const environment = { mcp_servers: { far: { type: 'http', url: 'http://127.0.0.1:1/mcp' } } }
    const checks = [{ type: 'contains', value: 'Done' }]
    const skill = makeSkill([{ id: 1, name: 'looks', prompt: 'look up, please', checks, environment }])
    const closed = await benched(skill, ['owl'], ['--sandbox', 'required'])
    expect(closed.end.code).toBe(2)
    expect(closed.end.stderr).toContain('the MCP server far has a url, and agents in the sandbox have no network')
    expect(closed.calls).toBe(0)
    const open = await benched(skill, ['owl'], ['--sandbox', 'required', '--network', 'open'])
    expect(JSON.parse(open.read('with_skill', 'run.json')).error).toMatchObject({
      kind: 'setup',
      message: expect.stringMatching(/did not start: far \(/),
    })
  })
  test('an unrecorded call is an error for the agent and a warning of the run', async () => {
    const skill = makeLookupSkill(real)
    await record(skill, ['owl'])
    const { read, log } = await benched(skill, ['owl', 'newt'])
    expect(log).toContain('not in the recording of lookup: look_up with')
    expect(log).not.toContain('REAL-ANSWER 2')
    expect(JSON.parse(read('with_skill', 'run.json')).warnings).toEqual([
      expect.stringMatching(
        /^a call of an MCP tool was not in the recording, so the agent got an error \(lookup: look_up with \{.*newt.*\}\)\. Record again, or use --live-mcp$/,
      ),
    ])
  })
  test('a broken recording stops the benchmark before anything is paid for, with file and fix', async () => {
    const skill = makeLookupSkill(real)
    await record(skill, ['owl'])
    const file = path.join(skill, 'evals/mcp/lookup.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"look_up"', '7'))
    const { end, calls } = await benched(skill, ['owl'])
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('evals/mcp/lookup.json')
    expect(end.stderr).toContain('record it again')
    expect(calls).toBe(0)
  })
  test('a changed list of tools is what the agent is offered', async () => {
    const skill = makeLookupSkill(real)
    await record(skill, ['owl'])
    const file = path.join(skill, 'evals/mcp/lookup.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('look_up', 'search_for'))
    const { log } = await benched(skill, ['owl'])
    expect(log).toContain('mcp__lookup__search_for')
    expect(log).not.toContain('mcp__lookup__look_up')
  })
  test('negative control: without a recording the real server answers', async () => {
    const { end, log } = await benched(makeLookupSkill(real), ['newt'], ['--allow-read', repository])
    expect(end, end.stderr).toMatchObject({ code: 0 })
    expect(log).toContain('REAL-ANSWER 1: newt')
  })
})
