/** The SDK engines on the clouds: the real clients against the practice server, which speaks each cloud's wire. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findEngine } from '../../../src/engines/table.ts'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { openTokens } from '../../engines/cloud_tokens.ts'
import { perform, practice, serveHttp, stageOfEachTest } from '../../engines/stage.ts'

const stage = stageOfEachTest()
let server: PracticeServer
beforeEach(async () => {
  server = await practice(`
require_key: [practice-key]
rules:
  - { name: work, when: { turn: 1 }, tool_calls: { name: Bash, input: { command: echo hello > made.txt } } }
  - { name: end, text: all done }`)
})
afterEach(() => server.close())

interface Way {
  engine: 'anthropic' | 'openai'
  model: string
  credentials: (url: string) => Record<string, string>
  /** The path of each request, and the model that the server was asked for. */
  path: string
  asked: string
  provider: string
}

const bedrockPath = '/model/us.anthropic.claude-sonnet-5-5/invoke-with-response-stream'

const ways: Record<string, Way> = {
  'Bedrock with an API key': {
    engine: 'anthropic',
    model: 'bedrock:us.anthropic.claude-sonnet-5-5',
    credentials: (url) => ({
      AWS_REGION: 'us-east-1',
      AWS_BEARER_TOKEN_BEDROCK: 'practice-key',
      ANTHROPIC_BEDROCK_BASE_URL: url,
    }),
    ...{ path: bedrockPath, asked: 'us.anthropic.claude-sonnet-5-5', provider: 'bedrock' },
  },
  'Bedrock with a signing key': {
    engine: 'anthropic',
    model: 'bedrock:us.anthropic.claude-sonnet-5-5',
    credentials: (url) => ({
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'practice-key',
      AWS_SECRET_ACCESS_KEY: 'never sent',
      AWS_PROFILE: 'of the user',
      ANTHROPIC_BEDROCK_BASE_URL: url,
    }),
    ...{ path: bedrockPath, asked: 'us.anthropic.claude-sonnet-5-5', provider: 'bedrock' },
  },
  Foundry: {
    engine: 'anthropic',
    model: 'foundry:sonnet',
    credentials: (url) => ({
      ANTHROPIC_FOUNDRY_API_KEY: 'practice-key',
      ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
    }),
    ...{ path: '/anthropic/v1/messages', asked: 'claude-sonnet-5-5', provider: 'foundry' },
  },
  'Azure OpenAI, v1': {
    engine: 'openai',
    model: 'azure:gpt-5.4',
    credentials: (url) => ({ AZURE_OPENAI_API_KEY: 'practice-key', AZURE_OPENAI_ENDPOINT: url }),
    ...{ path: '/openai/v1/responses', asked: 'gpt-5.4', provider: 'azure' },
  },
  'Azure OpenAI, a dated version': {
    engine: 'openai',
    model: 'azure:gpt-5.4',
    credentials: (url) => ({
      AZURE_OPENAI_API_KEY: 'practice-key',
      AZURE_OPENAI_ENDPOINT: `${url}/`,
      OPENAI_API_VERSION: '2025-04-01-preview',
    }),
    ...{ path: '/openai/responses', asked: 'gpt-5.4', provider: 'azure' },
  },
  OpenRouter: {
    engine: 'openai',
    model: 'openrouter:anthropic/claude-sonnet-4.5',
    credentials: (url) => ({ OPENROUTER_API_KEY: 'practice-key', OPENROUTER_BASE_URL: `${url}/api/v1` }),
    ...{ path: '/api/v1/chat/completions', asked: 'anthropic/claude-sonnet-4.5', provider: 'openrouter' },
  },
}

function withWrongKey(credentials: Record<string, string>): Record<string, string> {
  const changed = Object.entries(credentials).map(([name, value]) => [name, value === 'practice-key' ? 'wrong' : value])
  return Object.fromEntries(changed)
}

describe.each(Object.entries(ways))('%s', (_, way) => {
  test('does the work, with usage, cost and the way in its report', async () => {
    const engine = findEngine(way.engine)
    const credentials = way.credentials(server.url)
    const { outcome } = await perform(engine, stage.task({ model: way.model, credentials }))
    expect(outcome).toMatchObject({
      status: 'completed',
      report: { finalResponse: 'all done', provider: way.provider },
    })
    expect(outcome.report.usage?.output_tokens).toBeGreaterThan(0)
    expect(outcome.report.cost).toMatchObject({ source: 'estimated', usd: expect.any(Number) })
    expect(server.requests.map((one) => [one.path, one.model, one.status])).toEqual([
      [way.path, way.asked, 200],
      [way.path, way.asked, 200],
    ])
  })
  test('a probe finds it ready, and a wrong key where asking is free', async () => {
    const credentials = way.credentials(server.url)
    const engine = findEngine(way.engine)
    const request = stage.task({ model: way.model })
    const signal = new AbortController().signal
    expect(await engine.probe({ ...request, credentials, signal })).toMatchObject({ ok: true })
    if (way.provider === 'bedrock') return expect(server.requests).toEqual([])
    const probe = await engine.probe({ ...request, credentials: withWrongKey(credentials), signal })
    expect(probe).toMatchObject({ ok: false, kind: 'credentials', fix: expect.stringContaining('_API_KEY') })
  })
})

describe('Vertex AI', () => {
  const place = () => ({
    ANTHROPIC_VERTEX_PROJECT_ID: 'bench',
    CLOUD_ML_REGION: 'europe-west1',
    ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
  })

  test('does the work with a token for the workload', async () => {
    await using tokens = await openTokens(stage.home)
    const credentials = { ...place(), GOOGLE_APPLICATION_CREDENTIALS: tokens.file }
    const { outcome } = await perform(findEngine('anthropic'), stage.task({ model: 'vertex:haiku', credentials }))
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done', provider: 'vertex' } })
    expect(outcome.report.cost?.usd).toBeGreaterThan(0)
    expect(tokens.asked).toEqual(['/token'])
    const model = 'publishers/anthropic/models/claude-haiku-4-5@20251001:streamRawPredict'
    expect(decodeURIComponent(server.requests[0]?.path ?? '')).toBe(
      `/v1/projects/bench/locations/europe-west1/${model}`,
    )
  })
  test('without a signature, for a gateway: the server refuses it, as this one is none', async () => {
    const credentials = { ...place(), CLAUDE_CODE_SKIP_VERTEX_AUTH: '1' }
    const { outcome } = await perform(findEngine('anthropic'), stage.task({ model: 'vertex:haiku', credentials }))
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'credentials' } })
    expect(server.requests).toHaveLength(1)
  })
  test('a file that is not a key is a failure, before any request', async () => {
    const file = path.join(stage.home, 'broken.json')
    writeFileSync(file, '{}')
    const credentials = { ...place(), GOOGLE_APPLICATION_CREDENTIALS: file }
    const task = stage.task({ model: 'vertex:haiku', credentials })
    const { outcome } = await perform(findEngine('anthropic'), task)
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(server.requests).toHaveLength(0)
    const probe = await findEngine('anthropic').probe({ ...task, signal: new AbortController().signal })
    expect(probe).toMatchObject({ ok: false, message: expect.stringContaining('GOOGLE_APPLICATION_CREDENTIALS') })
  })
})

test('OpenRouter reports the cost: it is taken as it is, summed over the responses', async () => {
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`
  const choice = { index: 0, delta: { role: 'assistant', content: 'all done' }, finish_reason: 'stop' }
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, cost: 0.25 }
  await using router = await serveHttp((_, response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.end(`${chunk({ choices: [choice] })}${chunk({ choices: [], usage })}data: [DONE]\n\n`)
  })
  const credentials = { OPENROUTER_API_KEY: 'k', OPENROUTER_BASE_URL: `${router.url}/api/v1` }
  const { outcome } = await perform(findEngine('openai'), stage.task({ model: 'openrouter:some/model', credentials }))
  expect(outcome.report.cost).toEqual({ usd: 0.25, source: 'agent' })
})
