/** Whether an engine can work, asked before anything is paid for; and the choice of `auto`. */
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProbeRequest } from '../../src/engines/engine.ts'
import { chooseAutoEngine } from '../../src/engines/models/first_available.ts'
import { findEngine } from '../../src/engines/table.ts'
import type { PracticeServer } from '../../src/features/practice/server.ts'
import { agents, keysFor, practice, stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()
let server: PracticeServer
beforeEach(async () => {
  server = await practice(
    'models: [claude-sonnet-5-5, gpt-5.4, llama3]\nrequire_key: [practice-key]\nrules: [{ name: a, answer: { text: a } }]',
  )
})
afterEach(() => server.close())

const fake = { WHETSTONE_CLAUDE: path.join(agents, 'fake_claude.mjs') }
const probe = (name: string, more: Partial<ProbeRequest>) =>
  findEngine(name).probe({
    ...{ model: null, command: null, credentials: {}, env: stage.env, signal: new AbortController().signal },
    ...more,
  })

describe('no paid call', () => {
  test.each(['anthropic', 'claude-code'])('%s only counts tokens', async (name) => {
    expect(await probe(name, { credentials: { ...keysFor(server), ...fake } })).toMatchObject({ ok: true })
    expect(server.requests.map((one) => one.path)).toEqual(['/v1/messages/count_tokens'])
  })
})

describe.each([
  ['anthropic', 'ANTHROPIC'],
  ['claude-code', 'ANTHROPIC'],
  ['openai', 'OPENAI'],
])('%s', (name, provider) => {
  const [key, address] = [`${provider}_API_KEY`, `${provider}_BASE_URL`]
  const asked = (more: Record<string, string> = {}, model: string | null = null) =>
    probe(name, { credentials: { ...keysFor(server), ...fake, ...more }, model })
  test('without a key', async () => {
    const answer = await probe(name, { credentials: fake })
    expect(answer).toMatchObject({ ok: false, kind: 'credentials', fix: expect.stringContaining(key) })
  })
  test('with a wrong key', async () => {
    const answer = await asked({ [key]: 'wrong' })
    expect(answer).toMatchObject({ ok: false, kind: 'credentials', message: expect.stringContaining(server.url) })
    expect(JSON.stringify(answer)).not.toContain('wrong')
  })
  test.each(['secret\nkey', 'secrét'])('a key that no header can carry is not shown: %j', async (odd) => {
    const answer = await asked({ [key]: odd })
    expect(answer).toMatchObject({ ok: false, kind: 'credentials', message: expect.stringContaining(key) })
    expect(JSON.stringify(answer)).not.toContain('secr')
  })
  test.each(['nonsense', 'ftp://x', 'http://127.0.0.1:9 x'])('an address that is none: %s', async (url) => {
    expect(await asked({ [address]: url })).toMatchObject({
      ...{ ok: false, kind: 'bad_request', message: expect.stringContaining(url) },
    })
  })
  test('with a model that is not there', async () => {
    const answer = await asked({}, 'claude-none-1')
    expect(answer).toMatchObject({ ok: false, kind: 'bad_request', message: expect.stringContaining('claude-none-1') })
  })
  test('with a server that is not there', async () => {
    await server.close()
    expect(await asked()).toMatchObject({
      ...{ ok: false, kind: 'unreachable', message: expect.stringContaining(server.url) },
    })
  })
  test.each(['429', '500', '529'])('a server that says %s may be better in a while', async (status) => {
    await using busy = await practice(
      `faults: [{ status: ${status}, path: . }]\nrules: [{ name: a, answer: { text: a } }]`,
    )
    expect(await probe(name, { credentials: { ...keysFor(busy), ...fake } })).toMatchObject({ ok: true })
    expect(busy.requests).toMatchObject([{ fault: expect.anything() }])
  })
  test('aborted, it rejects', async () => {
    await expect(probe(name, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
  })
})

describe('claude-code', () => {
  test('tells version and place', async () => {
    const answer = await probe('claude-code', { credentials: { ...fake, CLAUDE_CODE_OAUTH_TOKEN: 't' } })
    expect(answer).toEqual({ ok: true, version: '2.1.329', detail: `claude 2.1.329 at ${fake.WHETSTONE_CLAUDE}` })
    expect(server.requests).toEqual([])
  })
  test.each([
    ['2.0.99', false],
    ['3.0.0', true],
  ])('version %s: %s', async (version, ok) => {
    const env = { ...stage.env, FAKE_VERSION: version }
    const answer = await probe('claude-code', { env, credentials: { ...fake, CLAUDE_CODE_OAUTH_TOKEN: 't' } })
    expect(answer.ok).toBe(ok)
    if (!answer.ok) expect(`${answer.message} ${answer.fix}`).toContain('2.1.0')
  })
  test('a short name is not asked for at the server', async () => {
    expect(await probe('claude-code', { credentials: { ...keysFor(server), ...fake }, model: 'opus' })).toMatchObject({
      ok: true,
    })
  })
})

describe('command', () => {
  test.each([
    ['/bin/sh', null, true, ''],
    ['node {model}', 'm', true, ''],
    ['node {model}', null, false, 'no model is given'],
    ['node', 'm', false, 'has no {model}'],
    ['no-such-program-here', null, false, 'no such program'],
  ])('%s with model %s: %s', async (command, model, ok, message) => {
    const answer = await probe('command', { command, model })
    expect(answer.ok).toBe(ok)
    if (!answer.ok) expect(answer.message).toContain(message)
  })
})

describe('openai', () => {
  test('only asks for the models, which is free', async () => {
    expect(await probe('openai', { credentials: keysFor(server) })).toMatchObject({
      ...{ ok: true, version: expect.stringMatching(/^6\./), detail: expect.stringContaining('gpt-5.4') },
    })
    expect(server.requests.map(({ method, path: place }) => [method, place])).toEqual([['GET', '/v1/models']])
  })
  test('with a model that is not there: those that are', async () => {
    const answer = await probe('openai', { credentials: keysFor(server), model: 'gpt-none' })
    expect(answer).toMatchObject({
      message: expect.stringContaining('does not know the model "gpt-none"'),
      fix: expect.stringMatching(/--model (to one of )?.*gpt-5\.4/),
    })
  })
  test('a server without a list of models may work', async () => {
    await using bare = await practice(
      'faults: [{ status: 404, path: /v1/models }]\nrules: [{ name: a, answer: { text: a } }]',
    )
    expect(await probe('openai', { credentials: keysFor(bare) })).toMatchObject({ ok: true })
  })
})

describe('auto', () => {
  const choose = (user: Record<string, string>, env = stage.env, model: string | null = null) =>
    chooseAutoEngine({ user, env, signal: new AbortController().signal, model })
  const bare = () => ({ ...stage.env, PATH: '/none' })

  test('takes claude-code where it can work', async () => {
    const { name, why } = await choose({ ...keysFor(server), ...fake })
    expect({ name, why }).toEqual({ name: 'claude-code', why: expect.stringContaining('claude 2.1.329') })
  })
  test('else anthropic, and says why not the other', async () => {
    const { name, why } = await choose(keysFor(server), { ...stage.env, PATH: '/none' })
    expect({ name, why }).toEqual({ name: 'anthropic', why: expect.stringContaining('no claude on PATH') })
  })
  test('else openai, where its key is the only one', async () => {
    await using listed = await practice('models: [gpt-5.4]\nrules: [{ name: a, answer: { text: a } }]')
    const { OPENAI_API_KEY = '', OPENAI_BASE_URL = '' } = keysFor(listed)
    const keys = { OPENAI_API_KEY, OPENAI_BASE_URL }
    expect(await choose(keys, bare())).toMatchObject({
      name: 'openai',
      why: expect.stringContaining('ANTHROPIC_API_KEY'),
    })
  })
  test.each([
    ['gpt-5.4', 'openai'],
    ['haiku', 'anthropic'],
  ])('%s goes to %s, whoever else could work', async (model, name) => {
    await using both = await practice('rules: [{ name: a, answer: { text: a } }]\nmodels: [gpt-5.4, claude-haiku-4-5]')
    expect((await choose(keysFor(both), bare(), model)).name).toBe(name)
  })
  test('else says how to get one, and names the demo', async () => {
    const failing = expect(choose({}, { ...stage.env, PATH: '/none' })).rejects
    await failing.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(/no claude on PATH.*ANTHROPIC_API_KEY/),
      fix: expect.stringContaining('whetstone demo'),
    })
  })
})
