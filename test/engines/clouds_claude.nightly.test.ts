/** The real Claude Code on the clouds, against the practice server. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findEngine } from '../../src/engines/table.ts'
import type { PracticeServer } from '../../src/practice/server.ts'
import { claudeBinary, needs } from '../require.ts'
import { listenOnLoopback, workloadCredentials } from './cloud_tokens.ts'
import { openStage, perform, practice, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 120_000 })

const engine = findEngine('claude-code')
let stage: Stage
let server: PracticeServer
beforeEach(async () => {
  stage = await openStage()
  server = await practice(`
require_key: [practice-key]
rules:
  - { name: look, when: { turn: 1, tool: Bash }, tool_calls: { name: Bash, input: { command: env > seen.txt } } }
  - { name: end, text: all done }`)
})
afterEach(async () => {
  await server.close()
  await stage[Symbol.asyncDispose]()
})

/** The statuses of the requests whose path contains the text. */
const statuses = (part: string) => {
  return server.requests.filter((one) => decodeURIComponent(one.path).includes(part)).map(({ status }) => status)
}

async function run(model: string, credentials: Record<string, string>) {
  const given = { ...credentials, WHETSTONE_CLAUDE: claudeBinary() ?? 'claude' }
  const task = stage.task({ model, credentials: given })
  const probe = await engine.probe({ ...task, signal: new AbortController().signal })
  expect(probe).toMatchObject({ ok: true })
  return perform(engine, task)
}

needs(
  'the CLI of claude-code',
  claudeBinary() !== null,
  'npm run agents',
)('Claude Code', () => {
  test('on Bedrock: its API key is a placeholder for the agent', async () => {
    const { outcome } = await run('bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0', {
      AWS_REGION: 'us-east-1',
      AWS_BEARER_TOKEN_BEDROCK: 'practice-key',
      ANTHROPIC_BEDROCK_BASE_URL: server.url,
    })
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done', provider: 'bedrock' } })
    expect(outcome.report.cost?.usd).toBeGreaterThan(0)
    expect(statuses('/invoke-with-response-stream')).toEqual([200, 200])
    expect(await seen()).toMatch(/^AWS_BEARER_TOKEN_BEDROCK=whetstone-placeholder-/m)
  })
  test('on Bedrock with a signing key, which the agent can see', async () => {
    const { outcome } = await run('bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0', {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'practice-key',
      AWS_SECRET_ACCESS_KEY: 'signing-key-of-the-user',
      AWS_PROFILE: 'work',
      ANTHROPIC_BEDROCK_BASE_URL: server.url,
    })
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done' } })
    const environment = await seen()
    expect(environment).toContain('signing-key-of-the-user')
    expect(environment).not.toContain('AWS_PROFILE')
  })
  test('on Vertex AI, with a token for the credentials in the file', async () => {
    const tokens = createServer((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'practice-key', expires_in: 3600, token_type: 'Bearer' }))
    })
    const file = path.join(stage.home, 'account.json')
    const subject = path.join(stage.home, 'subject.txt')
    writeFileSync(subject, 'who it is')
    writeFileSync(file, JSON.stringify(workloadCredentials(`${await listenOnLoopback(tokens)}/token`, subject)))
    const { outcome } = await run('vertex:claude-haiku-4-5@20251001', {
      ANTHROPIC_VERTEX_PROJECT_ID: 'bench',
      CLOUD_ML_REGION: 'europe-west1',
      ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
      GOOGLE_APPLICATION_CREDENTIALS: file,
    })
    tokens.closeAllConnections()
    tokens.close()
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done', provider: 'vertex' } })
    expect(statuses('claude-haiku-4-5@20251001:streamRawPredict')).toEqual([200, 200])
  })
  test('on Foundry: its API key is a placeholder for the agent', async () => {
    const { outcome } = await run('foundry:claude-haiku-4-5', {
      ANTHROPIC_FOUNDRY_API_KEY: 'practice-key',
      ANTHROPIC_FOUNDRY_RESOURCE: 'of-the-user',
      ANTHROPIC_FOUNDRY_BASE_URL: `${server.url}/anthropic`,
    })
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done', provider: 'foundry' } })
    expect(statuses('/anthropic/v1/messages')).toContain(200)
    expect(await seen()).toMatch(/^ANTHROPIC_FOUNDRY_API_KEY=whetstone-placeholder-/m)
  })
})

async function seen(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  return await readFile(path.join(stage.cwd, 'seen.txt'), 'utf8')
}
