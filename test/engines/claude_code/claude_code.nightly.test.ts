/** The real Claude Code: what it loads of a folder and a home, who finds its key, and its work on the clouds. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { passKeyViaPipe } from '../../../src/engines/claude_code/argv.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { openTokens } from '../cloud_tokens.ts'
import { findContender } from '../contenders.ts'
import { ofType, openStage, perform, practice, stageOfEachTest } from '../stage.ts'

vi.setConfig({ testTimeout: 120_000 })

const stage = stageOfEachTest()
const { engine, needs: needed, suite } = findContender('claude-code')

suite('the real CLI', () => {
  const rules = `
rules:
  - { name: end, when: { turn: { min: 2 } }, answer: { text: done } }
  - { name: look, answer: { tool_calls: { name: Read, input: { file_path: note.md } } } }
`
  async function run(more: Partial<EngineTask>, scenario = rules) {
    await using server = await practice(scenario)
    const { outcome, events } = await perform(engine, stage.task({ ...needed(server), prompt: 'look', ...more }))
    return { outcome, events, asked: JSON.stringify(server.requests) }
  }

  async function leaveHook(command: string) {
    const hooks = [{ type: 'command', command }]
    await mkdir(path.join(stage.cwd, '.claude'))
    const settings = { hooks: { PreToolUse: [{ matcher: '*', hooks }] } }
    await writeFile(path.join(stage.cwd, '.claude/settings.json'), JSON.stringify(settings))
  }

  test("a skill of the user's is not loaded", async () => {
    const folder = path.join(stage.home, '.claude/skills/mine')
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'SKILL.md'), '---\nname: mine\ndescription: USER-CANARY\n---\nx\n')
    const { outcome, asked } = await run({ skills: await stage.skill() })
    expect(outcome.report.loaded?.skills).toContain('demo')
    expect(outcome.report.loaded?.skills).not.toContain('mine')
    expect(asked).not.toContain('USER-CANARY')
  })

  test('a judge loads nothing of what an agent left in the folder; negative control: an agent loads both', async () => {
    await writeFile(path.join(stage.cwd, 'note.md'), 'a note')
    await writeFile(path.join(stage.cwd, 'CLAUDE.md'), 'INSTRUCTION-CANARY')
    await leaveHook(`touch ${stage.home}/hooked`)
    const judge = await run({ tools: 'read_only' })
    expect(judge.outcome.report.loaded?.tools?.toSorted()).toEqual(['Glob', 'Grep', 'Read'])
    expect(judge.asked).not.toContain('INSTRUCTION-CANARY')
    expect(existsSync(path.join(stage.home, 'hooked'))).toBe(false)
    expect((await run({ tools: 'all' })).asked).toContain('INSTRUCTION-CANARY')
    expect(existsSync(path.join(stage.home, 'hooked'))).toBe(true)
  })

  test('a hook that the suite does not know of shows by what it says', async () => {
    await leaveHook('echo HOOK-CANARY >&2; exit 2')
    const { events, outcome } = await run({ tools: 'all' })
    const [told] = ofType(events, 'hook')
    const text = expect.stringContaining('HOOK-CANARY')
    expect(told).toMatchObject({ event: 'PreToolUse', outcome: 'blocked', text })
    expect(outcome.report.permissionDenials).toEqual([told?.tool])
  })

  test('two runs of one case are two conversations that begin alike', async () => {
    await using server = await practice(rules)
    for (const _ of [1, 2]) {
      await using own = await openStage()
      await perform(engine, own.task({ ...needed(server), prompt: 'look' }))
    }
    expect(server.requests.filter(({ turn }) => turn === 1).map(({ seed }) => seed)).toEqual([0, 1])
  })

  test('an answer that never fits its schema is bad output, and says what did not fit', async () => {
    const answerSchema = { type: 'object', properties: { verdict: { type: 'string' } }, required: ['verdict'] }
    const never = `
rules:
  - { name: answer, answer: { tool_calls: { name: StructuredOutput, input: { other: x } } } }
`
    const { outcome } = await run({ tools: 'read_only', answerSchema }, never)
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'bad_output', message: expect.stringContaining("'verdict'"), retryable: false },
      report: { usage: { output_tokens: expect.any(Number) } },
    })
  })
})

const key = 'practice-key'

/** Looks where the parent was given the key: its file, its pipe, its environment and its words. */
const look = (home: string, to: string) =>
  `{ cat ${home}/.key-*; timeout 1 cat /proc/$PPID/fd/3; cat /proc/$PPID/environ /proc/$PPID/cmdline; env; } > ${to} 2>&1`

suite('the key', () => {
  test('is not found by a hook at the start, nor by a server, and the model is asked with it', async () => {
    await using server = await practice(`require_key: [${key}]\nrules: [{ name: a, answer: { text: all done } }]`)
    const [byHook, byServer] = [path.join(stage.cwd, 'hook.txt'), path.join(stage.cwd, 'server.txt')]
    const mcpConfig = path.join(stage.cwd, 'mcp.json')
    const spy = { command: 'sh', args: ['-c', look(stage.home, byServer)] }
    await writeFile(mcpConfig, JSON.stringify({ mcpServers: { spy } }))
    const hooks = { SessionStart: [{ hooks: [{ type: 'command' as const, command: look(stage.home, byHook) }] }] }
    const environment = { folder: stage.home, hooks, rules: [], mcpConfig, mcpServers: ['spy'] }
    await perform(engine, stage.task({ ...needed(server), environment }))
    for (const file of [byHook, byServer]) {
      expect(existsSync(file)).toBe(true)
      expect(readFileSync(file, 'utf8')).not.toContain(key)
    }
    const asked = server.requests.filter(({ path: place }) => place === '/v1/messages')
    expect(asked.map(({ status }) => status)).toContain(200)
  })
})

describe('the pipe', () => {
  const start = (inner: string) => {
    using lent = passKeyViaPipe(stage.task({ credentials: { ANTHROPIC_API_KEY: key } }))
    const [command = '', ...words] = lent?.prefix ?? []
    return spawnSync(command, [...words, 'sh', '-c', inner], { input: 'the prompt', encoding: 'utf8' })
  }
  const seen = () => path.join(stage.cwd, 'seen.txt')

  test('holds the key once; the file is gone by then, and stdin is the prompt', () => {
    const { stdout } = start(`cat; ls -A ${stage.home}; cat <&3; sh -c '${look(stage.home, seen())}'`)
    expect(stdout).toBe(`the prompttmp\n${key}\n`)
    expect(readFileSync(seen(), 'utf8')).not.toContain(key)
  })
  test('negative control: what looks before it was read finds it', () => {
    start(`sh -c '${look(stage.home, seen())}'; true`)
    expect(readFileSync(seen(), 'utf8')).toContain(key)
  })
})

suite('Claude Code on a cloud', () => {
  const rules = `
require_key: [practice-key]
rules:
  - { name: look, when: { turn: 1, tool: Bash }, tool_calls: { name: Bash, input: { command: env > seen.txt } } }
  - { name: end, text: all done }`
  const seen = () => readFile(path.join(stage.cwd, 'seen.txt'), 'utf8')

  /** A run with credentials for a server; `asked`: the statuses of the requests whose path contains this. */
  async function run(model: string, place: string, given: (url: string) => Record<string, string>) {
    await using server = await practice(rules)
    const { WHETSTONE_CLAUDE = '' } = needed(server).credentials ?? {}
    const task = stage.task({ model, credentials: { ...given(server.url), WHETSTONE_CLAUDE } })
    expect(await engine.probe({ ...task, signal: new AbortController().signal })).toMatchObject({ ok: true })
    const { outcome } = await perform(engine, task)
    const provider = model.split(':')[0]
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done', provider } })
    const asked = server.requests.filter((one) => decodeURIComponent(one.path).includes(place))
    return { outcome, asked: asked.map(({ status }) => status) }
  }

  test('on Bedrock: its API key is a placeholder for the agent', async () => {
    const model = 'bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0'
    const { outcome, asked } = await run(model, '/invoke-with-response-stream', (url) => ({
      AWS_REGION: 'us-east-1',
      AWS_BEARER_TOKEN_BEDROCK: 'practice-key',
      ANTHROPIC_BEDROCK_BASE_URL: url,
    }))
    expect(outcome.report.cost?.usd).toBeGreaterThan(0)
    expect(asked).toEqual([200, 200])
    expect(await seen()).toMatch(/^AWS_BEARER_TOKEN_BEDROCK=placeholder-/m)
  })
  test('on Bedrock with a signing key, which the agent can see', async () => {
    await run('bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0', '', (url) => ({
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'practice-key',
      AWS_SECRET_ACCESS_KEY: 'signing-key-of-the-user',
      AWS_PROFILE: 'work',
      ANTHROPIC_BEDROCK_BASE_URL: url,
    }))
    expect(await seen()).toContain('signing-key-of-the-user')
    expect(await seen()).not.toContain('AWS_PROFILE')
  })
  test('on Vertex AI, with a token for the credentials in the file', async () => {
    await using tokens = await openTokens(stage.home)
    const model = 'claude-haiku-4-5@20251001'
    const { asked } = await run(`vertex:${model}`, `${model}:streamRawPredict`, (url) => ({
      ANTHROPIC_VERTEX_PROJECT_ID: 'bench',
      CLOUD_ML_REGION: 'europe-west1',
      ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
      GOOGLE_APPLICATION_CREDENTIALS: tokens.file,
    }))
    expect(asked).toEqual([200, 200])
  })
  test('on Foundry: its API key is a placeholder for the agent', async () => {
    const { asked } = await run('foundry:claude-haiku-4-5', '/anthropic/v1/messages', (url) => ({
      ANTHROPIC_FOUNDRY_API_KEY: 'practice-key',
      ANTHROPIC_FOUNDRY_RESOURCE: 'of-the-user',
      ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
    }))
    expect(asked).toContain(200)
    expect(await seen()).toMatch(/^ANTHROPIC_FOUNDRY_API_KEY=placeholder-/m)
  })
})
