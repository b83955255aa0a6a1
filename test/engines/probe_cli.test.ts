/** Whether the agent CLIs can work, asked before anything is paid for: program, version, key, server, and what else they need. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findEngine } from '../../src/engines/table.ts'
import type { PracticeServer } from '../../src/features/practice/server.ts'
import { buildCacheParts, computeCacheKey } from '../../src/phases/1-plan/keys/cache_key.ts'
import { keysFor, practice, stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()
let server: PracticeServer
beforeEach(async () => {
  server = await practice('require_key: [practice-key]\nrules: [{ name: a, answer: { text: a } }]')
})
afterEach(() => server.close())

/** A program that says this to every question. */
async function program(name: string, says: string): Promise<string> {
  const folder = path.join(stage.home, 'programs')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, name), `#!/bin/sh\n${says}\n`)
  await chmod(path.join(folder, name), 0o755)
  return path.join(folder, name)
}

interface Asked {
  model?: string | null
  credentials?: Record<string, string>
  env?: Record<string, string>
  command?: string | null
}

/** A run of a plan, whose key must differ where the probe chose another model. */
const spec = {
  ...{ run_id: 'eval-1-a/with_skill/run-1', eval_id: 1, eval_name: 'a', run_number: 1 },
  configuration: 'with_skill' as const,
  ...{ prompt: 'Add up.', files: [], setup: null, git: null, skill: null, absent_skill: null },
  ...{ max_turns: null, timeout_seconds: 60, activation: 'natural' as const },
}

const probe = (name: string, { model = null, credentials = {}, env = {}, command = null }: Asked) =>
  findEngine(name).probe({
    ...{ model, command, credentials, signal: new AbortController().signal },
    env: { ...stage.env, ...env },
  })

describe.each([
  ['codex', 'WHETSTONE_CODEX', 'codex-cli 0.169.0', 'codex-cli 0.149.9'],
  ['opencode', 'WHETSTONE_OPENCODE', '1.18.33', '1.17.99'],
  ['pi', 'WHETSTONE_PI', '0.73.1', '0.0.1'],
  ['copilot', 'WHETSTONE_COPILOT', '1.0.102', '1.0.101'],
  ['qwen', 'WHETSTONE_QWEN', '0.24.4', '0.23.9'],
])('%s', (name, variable, version, old) => {
  const asked = async (says = `echo ${version}`, more: Record<string, string> = {}) => ({
    ...{ ...keysFor(server), ANTHROPIC_API_KEY: '' },
    [variable]: await program(name, says),
    ...more,
  })
  test('is warned of where the version is newer than those that are tested', async () => {
    await program('rg', '') // opencode needs it
    const env = { PATH: `${path.join(stage.home, 'programs')}:/bin` }
    const newer = version.replace(/\d+$/, (number) => String(Number(number) + 1))
    expect(await probe(name, { credentials: await asked(`echo ${newer}`), env })).toMatchObject({
      ok: true,
      warning: expect.stringContaining(`Whetstone is tested with ${version.split(' ').at(-1)}`),
    })
    expect(await probe(name, { credentials: await asked(), env })).not.toHaveProperty('warning')
  })
  test('can work: the version that it says, and nothing is asked of a model', async () => {
    await program('rg', '')
    const env = { PATH: `${path.join(stage.home, 'programs')}:/bin` }
    const answer = await probe(name, { credentials: await asked(), env })
    expect(answer).toMatchObject({
      ok: true,
      version: version.split(' ').at(-1),
      detail: expect.stringContaining(name),
    })
    expect(server.requests.map((one) => one.path).filter((one) => !/\/models(\/|$)/.test(one))).toEqual([])
  })
  test('is not there', async () => {
    const env = { PATH: path.join(stage.home, 'nothing') }
    const answer = await probe(name, { credentials: keysFor(server), env })
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message: `no ${name} on PATH` })
  })
  test('is not where it is said to be', async () => {
    const answer = await probe(name, { credentials: { ...keysFor(server), [variable]: '/no/such' } })
    const message = `${variable}: /no/such: no such program`
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message })
  })
  test('is too old: the version found and the version needed', async () => {
    const answer = await probe(name, { credentials: await asked(`echo ${old}`) })
    const message = expect.stringMatching(/is version \d+\.\d+\.\d+; \d+\.\d+\.\d+ or later is needed/)
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message })
  })
  test('has no key', async () => {
    const answer = await probe(name, { credentials: { [variable]: await program(name, `echo ${version}`) } })
    const fix = expect.stringMatching(/(ANTHROPIC|OPENAI)_API_KEY/)
    expect(answer).toMatchObject({ ok: false, kind: 'credentials', fix })
  })
})

describe('codex', () => {
  const asked = async (more: Record<string, string>) => ({
    ...{ OPENAI_API_KEY: 'practice-key', OPENAI_BASE_URL: `${server.url}/v1` },
    WHETSTONE_CODEX: await program('codex', 'echo codex-cli 0.169.0'),
    ...more,
  })
  test('a key that the server refuses is told, and not shown', async () => {
    const answer = await probe('codex', { credentials: await asked({ OPENAI_API_KEY: 'wrong' }) })
    expect(answer).toMatchObject({ ok: false, kind: 'credentials', message: expect.stringContaining(server.url) })
    expect(JSON.stringify(answer)).not.toContain('wrong')
  })
  test('CODEX_API_KEY goes before OPENAI_API_KEY', async () => {
    const credentials = await asked({ OPENAI_API_KEY: 'wrong', CODEX_API_KEY: 'practice-key' })
    expect(await probe('codex', { credentials })).toMatchObject({ ok: true })
  })
  test.each([
    ['http://127.0.0.1:9/v1', 'unreachable'],
    ['nonsense', 'bad_request'],
  ])('the address %s: %s', async (url, kind) => {
    const answer = await probe('codex', { credentials: await asked({ OPENAI_BASE_URL: url }) })
    expect(answer).toMatchObject({ ok: false, kind, message: expect.stringContaining(url) })
  })
})

describe('opencode, and pi with the same models', () => {
  test('without ripgrep', async () => {
    const credentials = { OPENAI_API_KEY: 'k', WHETSTONE_OPENCODE: await program('opencode', 'echo 1.18.33') }
    const answer = await probe('opencode', { credentials, env: { PATH: path.join(stage.home, 'nothing') } })
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message: expect.stringContaining('ripgrep') })
  })
  test.each([
    [null, { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'anthropic/claude-sonnet-5-5'],
    [null, { OPENAI_API_KEY: 'o' }, 'openai/gpt-5.4'],
    ['openai/llama3', { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'openai/llama3'],
  ])('model %j with %j: %s, and a cached run of another is not taken', async (model, keys, meant) => {
    await program('rg', '')
    const credentials = {
      ...keys,
      WHETSTONE_OPENCODE: await program('opencode', 'echo 1.18.33'),
      WHETSTONE_PI: await program('pi', 'echo 0.73.1'),
    }
    const env = { PATH: `${path.join(stage.home, 'programs')}:/bin` }
    for (const name of ['opencode', 'pi']) {
      const answer = await probe(name, { model, credentials, env })
      expect(answer).toMatchObject({
        ok: true,
        detail: expect.stringContaining(meant),
        identity: { 'chosen model': meant },
      })
    }
  })
  test('a provider that gets no key', async () => {
    const credentials = { OPENAI_API_KEY: 'k', WHETSTONE_OPENCODE: await program('opencode', 'echo 1.18.33') }
    const answer = await probe('opencode', { model: 'google/gemini-3', credentials })
    expect(answer).toMatchObject({ ok: false, kind: 'bad_request', message: expect.stringContaining('google') })
  })
})

/** The engine, its program's version. */
const withTwoProviders: [string, string][] = [
  ['opencode', '1.18.33'],
  ['pi', '0.73.1'],
  ['copilot', '1.0.102'],
]
test.each(withTwoProviders)(
  '%s: without a model, a run with the key of one provider is not taken for one with that of another',
  async (engine, version) => {
    await program('rg', '')
    const found = { [`WHETSTONE_${engine.toUpperCase()}`]: await program(engine, `echo ${version}`) }
    const env = { PATH: `${path.join(stage.home, 'programs')}:/bin` }
    const keyWith = async (credentials: Record<string, string>) => {
      const answer = await probe(engine, { credentials: { ...credentials, ...found }, env })
      if (!answer.ok) throw new Error(answer.message)
      const facts = { 'engine version': answer.version ?? '', ...answer.identity }
      const surroundings = { skillFiles: new Map(), twins: new Map(), engine: facts }
      return computeCacheKey(buildCacheParts({ ...spec, engine: { name: engine, model: null } }, surroundings))
    }
    const one = await keyWith({ ANTHROPIC_API_KEY: 'a' })
    expect(await keyWith({ ANTHROPIC_API_KEY: 'other' })).toBe(one)
    expect(await keyWith({ OPENAI_API_KEY: 'o' })).not.toBe(one)
  },
)

describe('copilot', () => {
  test('a provider that it does not take, and a token that is not set', async () => {
    const credentials = { OPENAI_API_KEY: 'k', WHETSTONE_COPILOT: await program('copilot', 'echo 1.0.102') }
    const other = await probe('copilot', { model: 'google/gemini-3', credentials })
    expect(other).toMatchObject({ ok: false, kind: 'bad_request', message: expect.stringContaining('google') })
    const unset = await probe('copilot', { model: 'github/gpt-5.5', credentials })
    expect(unset).toMatchObject({ kind: 'credentials', fix: expect.stringContaining('COPILOT_GITHUB_TOKEN') })
  })
  test('unpacks itself into the cache folder of the user, where runs find it', async () => {
    const WHETSTONE_COPILOT = await program(
      'copilot',
      'echo 1.0.102 "$COPILOT_CACHE_HOME"; touch "$COPILOT_CACHE_HOME/here"',
    )
    const credentials = { OPENAI_API_KEY: 'k', WHETSTONE_COPILOT, COPILOT_CACHE_HOME: stage.home }
    expect(await probe('copilot', { credentials })).toMatchObject({ ok: true })
    expect(existsSync(path.join(stage.home, 'here'))).toBe(true)
  })
})

describe('qwen', () => {
  const startsWith = async (node: string, code = 1) => {
    const says = `echo "SyntaxError: Unexpected token\n\nNode.js v${node}" >&2; exit ${code}`
    const credentials = { ...keysFor(server), WHETSTONE_QWEN: await program('qwen', says) }
    return probe('qwen', { credentials })
  }
  test('a Node that is too old: the version found, the one needed, and what to do', async () => {
    const answer = await startsWith('18.20.4')
    const message = expect.stringMatching(/qwen needs Node 22 or later; it starts with Node 18$/)
    const fix = 'install Node 22 or later, or name in WHETSTONE_QWEN a script that starts it with a newer Node'
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message, fix })
  })
  test('negative control: with a Node that is new enough, another failure is told as it is', async () => {
    expect(await startsWith('24.1.0')).toMatchObject({ ok: false, message: expect.stringContaining('no version') })
  })
  test('a key that the server refuses', async () => {
    const WHETSTONE_QWEN = await program('qwen', 'echo 0.24.4')
    const refused = { OPENAI_API_KEY: 'wrong', OPENAI_BASE_URL: `${server.url}/v1`, WHETSTONE_QWEN }
    expect(await probe('qwen', { credentials: refused })).toMatchObject({ ok: false, kind: 'credentials' })
  })
})
