/** Whether the agent CLIs can work, asked before anything is paid for: program, version, key, server, and what else they need. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runSpec } from '../../schemas/plan.ts'
import { findEngine } from '../../src/engines/table.ts'
import type { PracticeServer } from '../../src/practice/server.ts'
import { keysFor, openStage, practice, type Stage } from './stage.ts'

let stage: Stage
let server: PracticeServer
beforeEach(async () => {
  stage = await openStage()
  server = await practice('require_key: [practice-key]\nrules: [{ name: a, answer: { text: a } }]')
})
afterEach(async () => {
  await server.close()
  await stage[Symbol.asyncDispose]()
})

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
}

const probe = (name: string, { model = null, credentials = {}, env = {} }: Asked) =>
  findEngine(name).probe({
    ...{ model, command: null, credentials, signal: new AbortController().signal },
    env: { ...stage.env, ...env },
  })

describe.each([
  ['codex', 'WHETSTONE_CODEX', 'codex-cli 0.169.0', 'codex-cli 0.149.9'],
  ['opencode', 'WHETSTONE_OPENCODE', '1.18.33', '1.17.99'],
  ['copilot', 'WHETSTONE_COPILOT', '1.0.102', '1.0.101'],
  ['qwen', 'WHETSTONE_QWEN', '0.24.4', '0.23.9'],
])('%s', (name, variable, version, old) => {
  const asked = async (says = `echo ${version}`, more: Record<string, string> = {}) => ({
    ...{ ...keysFor(server), ANTHROPIC_API_KEY: '' },
    [variable]: await program(name, says),
    ...more,
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
    expect(answer).toMatchObject({
      ok: false,
      kind: 'missing_binary',
      message: `${variable}: /no/such: no such program`,
    })
  })
  test('is too old: the version found and the version needed', async () => {
    const answer = await probe(name, { credentials: await asked(`echo ${old}`) })
    const message = expect.stringMatching(/is version \d+\.\d+\.\d+; \d+\.\d+\.\d+ or later is needed/)
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message })
  })
  test.each(['exit 1', 'echo nonsense'])('says no version: %s', async (says) => {
    const answer = await probe(name, { credentials: await asked(says) })
    expect(answer).toMatchObject({ ok: false, kind: 'missing_binary', message: expect.stringContaining('no version') })
  })
  test('has no key', async () => {
    const answer = await probe(name, { credentials: { [variable]: await program(name, `echo ${version}`) } })
    expect(answer).toMatchObject({ ok: false, kind: 'credentials', fix: expect.stringContaining('OPENAI_API_KEY') })
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
  test('a server that is not there', async () => {
    const answer = await probe('codex', { credentials: await asked({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }) })
    expect(answer).toMatchObject({ ok: false, kind: 'unreachable' })
  })
  test('an address that is none', async () => {
    const answer = await probe('codex', { credentials: await asked({ OPENAI_BASE_URL: 'nonsense' }) })
    expect(answer).toMatchObject({ ok: false, kind: 'bad_request', message: expect.stringContaining('nonsense') })
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
    ['haiku', { ANTHROPIC_API_KEY: 'a' }, 'anthropic/claude-haiku-4-5'],
    ['gpt-5.5', { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'openai/gpt-5.5'],
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

test('a preset of acp: a cached run of another model is not taken', async () => {
  const credentials = { OPENAI_API_KEY: 'o', WHETSTONE_COPILOT: await program('copilot', 'echo 1.0.102') }
  const asked = { model: null, command: 'copilot', credentials, signal: new AbortController().signal }
  const answer = await findEngine('acp').probe({ ...asked, env: stage.env })
  expect(answer).toMatchObject({ ok: true, identity: { 'chosen model': 'openai/gpt-5.4' } })
})

describe('copilot', () => {
  test.each([
    [null, { OPENAI_API_KEY: 'o' }, 'openai/gpt-5.4'],
    [null, { COPILOT_GITHUB_TOKEN: 'g' }, 'github'],
    ['github/gpt-5.5', { COPILOT_GITHUB_TOKEN: 'g' }, 'github/gpt-5.5'],
  ])('model %j with %j: %s, and a cached run of another is not taken', async (model, keys, chosen) => {
    const credentials = { ...keys, WHETSTONE_COPILOT: await program('copilot', 'echo 1.0.102') }
    const answer = await probe('copilot', { model, credentials })
    expect(answer).toMatchObject({ ok: true, detail: expect.stringContaining(chosen) })
    const identity = answer.ok ? (answer.identity ?? {}) : {}
    expect(Object.values(identity)).toEqual([chosen])
    // a cache key can't have two parts of one name
    const own = Object.keys({ ...runSpec.shape, ...runSpec.shape.engine.shape })
    expect(own).toContain('model')
    expect(own).not.toContain(Object.keys(identity)[0])
  })
  test('a provider that it does not take, and a token that is not set', async () => {
    const credentials = { OPENAI_API_KEY: 'k', WHETSTONE_COPILOT: await program('copilot', 'echo 1.0.102') }
    const other = await probe('copilot', { model: 'google/gemini-3', credentials })
    expect(other).toMatchObject({ ok: false, kind: 'bad_request', message: expect.stringContaining('google') })
    const unset = await probe('copilot', { model: 'github/gpt-5.5', credentials })
    expect(unset).toMatchObject({
      ok: false,
      kind: 'credentials',
      fix: expect.stringContaining('COPILOT_GITHUB_TOKEN'),
    })
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
  test('a key that the server refuses, and a server that is not there', async () => {
    const WHETSTONE_QWEN = await program('qwen', 'echo 0.24.4')
    const refused = { OPENAI_API_KEY: 'wrong', OPENAI_BASE_URL: `${server.url}/v1`, WHETSTONE_QWEN }
    expect(await probe('qwen', { credentials: refused })).toMatchObject({ ok: false, kind: 'credentials' })
    const gone = { ...refused, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    expect(await probe('qwen', { credentials: gone })).toMatchObject({ ok: false, kind: 'unreachable' })
  })
})
