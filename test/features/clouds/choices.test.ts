/** `bedrock:MODEL` and the like: how a cloud is chosen, what a run on it gets, and what is missing. */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { getRedactor } from '../../../src/base/secrets/redact.ts'
import { claudeEnvironment } from '../../../src/engines/claude_code/argv.ts'
import { selectCredentials, sharesServer, withBaseUrl } from '../../../src/engines/models/base_url.ts'
import { isPriced } from '../../../src/engines/models/cost.ts'
import { findMissingRequirement } from '../../../src/engines/models/first_available.ts'
import { findServingProvider, modelFamily } from '../../../src/engines/models/model_family.ts'
import { resolveEngineChoice, resolveJudgeChoice } from '../../../src/engines/models/resolve_model.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { buildEngineKeyParts } from '../../../src/flows/cache/run_cache.ts'
import { keepSuiteModel, refuseProgram } from '../../../src/flows/prepare/bench_engines.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'clouds-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('how it is chosen', () => {
  test.each([
    ['claude-code', 'bedrock:sonnet', { name: 'claude-code', model: 'bedrock:sonnet' }],
    ['anthropic', 'bedrock:sonnet', { name: 'anthropic', model: 'bedrock:global.anthropic.claude-sonnet-5-5' }],
    ['auto', 'openrouter:meta/llama:free', { name: 'openai', model: 'openrouter:meta/llama:free' }],
    ['command:a', 'bedrock:x', { name: 'command', model: 'bedrock:x', command: 'a' }],
  ])('--engine %s --model %s', (engine, model, choice) => {
    expect(resolveEngineChoice({ engine, model })).toEqual(choice)
  })
  test.each([
    ['bedrock:haiku', { name: 'anthropic', model: 'bedrock:global.anthropic.claude-haiku-4-5-20251001-v1:0' }],
    ['openrouter:openai/gpt-5', { name: 'openai', model: 'openrouter:openai/gpt-5' }],
  ])('--judge %s', (judge, choice) => expect(resolveJudgeChoice(judge)).toEqual(choice))
  test.each([
    [
      'auto',
      'bedrock:sonnet',
      '--engine anthropic --model bedrock:sonnet; or --engine claude-code --model bedrock:sonnet',
    ],
    ['codex', 'azure:x', "the engine codex can't reach Azure OpenAI"],
    ['opencode:bedrock:x', null, "the engine opencode can't reach Amazon Bedrock"],
    ['openai', 'vertex:x', "the engine openai can't reach Google Vertex AI"],
    ['bedrock:sonnet', null, '--engine bedrock: this is a cloud, not an engine'],
  ])('refused: --engine %s --model %s', (engine, model, text) => {
    expect(() => resolveEngineChoice({ engine, model })).toThrow(UserError)
    expect(() => resolveEngineChoice({ engine, model })).toThrow(text)
  })
  test('a suite does not choose one', () => {
    for (const [text, field] of [
      ['bedrock:x', 'model'],
      ['anthropic:vertex:x', 'model'],
      ['haiku, azure:x', 'judge'],
      ['claude-code:foundry:x', 'engine'],
    ] as const) {
      expect(() => refuseProgram(text, { file: 'f', field })).toThrow('the suite names the cloud')
    }
    expect(() => refuseProgram('anthropic:claude-x', { file: 'f', field: 'model' })).not.toThrow()
    expect(keepSuiteModel('claude-code', 'claude-code:bedrock:x', [])).toBeNull()
    expect(keepSuiteModel('claude-code', 'claude-code:x', [])).toBe('claude-code:x')
  })
})

const user = {
  ANTHROPIC_API_KEY: 'of-anthropic',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
  OPENAI_API_KEY: 'of-openai',
  AWS_REGION: 'eu-west-1',
  AWS_BEARER_TOKEN_BEDROCK: 'of-bedrock',
  ANTHROPIC_FOUNDRY_API_KEY: 'of-foundry',
  ANTHROPIC_FOUNDRY_RESOURCE: 'r',
  OPENROUTER_API_KEY: 'of-openrouter',
  WHETSTONE_CLAUDE: '/bin/claude',
}
const given = (name: string, model: string, base_url?: string) => {
  return selectCredentials(findEngine(name), { model, ...(base_url && { base_url }) }, user)
}

describe('what a run gets', () => {
  test('the variables of its cloud, and no key of another way', () => {
    expect(given('claude-code', 'bedrock:x')).toEqual({
      AWS_REGION: 'eu-west-1',
      AWS_BEARER_TOKEN_BEDROCK: 'of-bedrock',
      WHETSTONE_CLAUDE: '/bin/claude',
    })
    expect(given('openai', 'openrouter:x')).toEqual({ OPENROUTER_API_KEY: 'of-openrouter' })
    expect(Object.keys(given('claude-code', 'sonnet'))).not.toContain('AWS_BEARER_TOKEN_BEDROCK')
    expect(Object.keys(given('claude-code', 'sonnet'))).toContain('ANTHROPIC_API_KEY')
  })
  test('--base-url is the address of the cloud', () => {
    const placed = withBaseUrl({ name: 'claude-code', model: 'bedrock:x' }, 'http://127.0.0.1:9/')
    expect(given(placed.name, 'bedrock:x', placed.base_url).ANTHROPIC_BEDROCK_BASE_URL).toBe('http://127.0.0.1:9')
    const judge = { name: 'anthropic', model: 'bedrock:x' }
    expect(sharesServer(judge, { name: 'anthropic', model: 'haiku' })).toBe(false)
    expect(sharesServer(judge, { name: 'anthropic', model: 'bedrock:y' })).toBe(true)
  })
  test('Claude Code: its switch; no variable that contradicts another, and none that names files of the user', () => {
    const environment = (model: string, credentials: Record<string, string>) =>
      claudeEnvironment({ env: { HOME: '/h' }, credentials, model })
    const onBedrock = environment('bedrock:x', { AWS_REGION: 'r', AWS_PROFILE: 'p', ANTHROPIC_API_KEY: 'k' })
    expect(onBedrock).toMatchObject({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'r' })
    expect(Object.keys(onBedrock)).not.toEqual(expect.arrayContaining(['AWS_PROFILE']))
    expect(Object.keys(onBedrock)).not.toEqual(expect.arrayContaining(['ANTHROPIC_API_KEY']))
    const resource = { ANTHROPIC_FOUNDRY_RESOURCE: 'r' }
    expect(environment('foundry:x', resource)).toMatchObject({ CLAUDE_CODE_USE_FOUNDRY: '1', ...resource })
    const placed = environment('foundry:x', { ...resource, ANTHROPIC_FOUNDRY_BASE_URL: 'http://x' })
    expect(placed.ANTHROPIC_FOUNDRY_RESOURCE).toBeUndefined()
    expect(environment('vertex:x', {})).toMatchObject({ CLAUDE_CODE_USE_VERTEX: '1' })
    expect(Object.keys(environment('sonnet', {})).filter((name) => name.includes('_USE_'))).toEqual([])
  })
  test('the sandbox lets Claude Code through to the endpoint of the region, and to what it needs besides', () => {
    const { reaches } = findEngine('claude-code')
    const places = (model: string, credentials: Record<string, string>) =>
      reaches?.({ model, credentials, command: null })
    expect(places('bedrock:x', { AWS_REGION: 'eu-west-1' })).toEqual([
      'https://bedrock-runtime.eu-west-1.amazonaws.com',
      'https://bedrock.eu-west-1.amazonaws.com',
    ])
    expect(places('vertex:x', { CLOUD_ML_REGION: 'global' })).toEqual([
      'https://aiplatform.googleapis.com/v1',
      'https://oauth2.googleapis.com',
    ])
    expect(places('vertex:x', { CLOUD_ML_REGION: 'europe-west1' })?.[0]).toContain('//europe-west1-aiplatform.')
    expect(places('foundry:x', { ANTHROPIC_FOUNDRY_RESOURCE: 'r' })).toEqual([
      'https://r.services.ai.azure.com/anthropic',
    ])
    expect(places('sonnet', {})).toEqual(['https://api.anthropic.com'])
  })
  test('the bearer token is redacted; a region is not', () => {
    const clean = getRedactor({ AWS_BEARER_TOKEN_BEDROCK: 'abcd-1234-efgh-5678', AWS_REGION: 'eu-west-1' })
    expect(clean.text('abcd-1234-efgh-5678 eu-west-1')).toBe('[redacted:AWS_BEARER_TOKEN_BEDROCK] eu-west-1')
  })
})

describe('what is missing', () => {
  const key = { AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 's' }
  const region = { AWS_REGION: 'r' }
  const project = { ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLOUD_ML_REGION: 'global' }
  test.each<[string, Record<string, string>, string | null]>([
    ['bedrock:x', {}, 'AWS_REGION is not set'],
    ['bedrock:x', region, 'neither AWS_BEARER_TOKEN_BEDROCK nor AWS_ACCESS_KEY_ID is set'],
    ['bedrock:x', { ...region, AWS_ACCESS_KEY_ID: 'i' }, 'AWS_SECRET_ACCESS_KEY is not set'],
    ['bedrock:x', { ...region, AWS_PROFILE: 'work' }, 'profile "work" in ~/.aws, which no run can read'],
    ['bedrock:x', { ...region, AWS_PROFILE: 'work', ...key }, null],
    ['bedrock:x', { AWS_DEFAULT_REGION: 'r', CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1' }, null],
    ['bedrock:x', { ...region, CLAUDE_CODE_SKIP_BEDROCK_AUTH: '0' }, 'neither'],
    ['vertex:x', {}, 'ANTHROPIC_VERTEX_PROJECT_ID is not set'],
    ['vertex:x', { ANTHROPIC_VERTEX_PROJECT_ID: 'p' }, 'CLOUD_ML_REGION is not set'],
    ['vertex:x', project, 'GOOGLE_APPLICATION_CREDENTIALS is not set (no run can read the login of gcloud)'],
    ['vertex:x', { ...project, GOOGLE_APPLICATION_CREDENTIALS: '/none' }, 'not a readable file with Google'],
    ['vertex:x', { ...project, CLAUDE_CODE_SKIP_VERTEX_AUTH: 'true' }, null],
    ['foundry:x', {}, 'neither ANTHROPIC_FOUNDRY_RESOURCE nor ANTHROPIC_FOUNDRY_BASE_URL is set'],
    ['foundry:x', { ANTHROPIC_FOUNDRY_RESOURCE: 'r' }, 'ANTHROPIC_FOUNDRY_API_KEY is not set'],
    ['foundry:x', { ANTHROPIC_FOUNDRY_RESOURCE: 'r', ANTHROPIC_FOUNDRY_API_KEY: 'k' }, null],
    ['openrouter:x', {}, 'OPENROUTER_API_KEY is not set'],
    ['openrouter:x', { OPENROUTER_API_KEY: 'k' }, null],
    ['azure:x', {}, 'AZURE_OPENAI_ENDPOINT is not set'],
    ['azure:x', { AZURE_OPENAI_ENDPOINT: 'https://r.example.com' }, 'AZURE_OPENAI_API_KEY is not set'],
    ['azure:x', { AZURE_OPENAI_ENDPOINT: 'https://r.example.com', AZURE_OPENAI_API_KEY: 'k' }, null],
  ])('%s with %o: %s', async (model, env, text) => {
    const name = /^(?:openrouter|azure)/.test(model) ? 'openai' : 'anthropic'
    const missing = await findMissingRequirement({ name, model }, env)
    if (text === null) expect(missing).toBeNull()
    else expect(missing).toContain(text)
    // the servers of the others do not exist
    if (text === null && !/^(?:bedrock|vertex)/.test(model)) return
    const credentials = selectCredentials(findEngine(name), { model }, env)
    const signal = new AbortController().signal
    const probe = await findEngine(name).probe({ model, command: null, credentials, env: {}, signal })
    expect(probe).toMatchObject(text === null ? { ok: true } : { ok: false, message: expect.stringContaining(text) })
  })
  test('a file of Google credentials is enough', async () => {
    const file = path.join(folder, 'key.json')
    writeFileSync(file, '{"type":"service_account"}')
    const env = { ...project, GOOGLE_APPLICATION_CREDENTIALS: file }
    expect(await findMissingRequirement({ name: 'claude-code', model: 'vertex:x' }, { ...env, PATH: '' })).toContain(
      'claude',
    )
    expect(await findMissingRequirement({ name: 'anthropic', model: 'vertex:x' }, env)).toBeNull()
  })
})

describe('what is recorded', () => {
  test.each([
    ...['bedrock', 'vertex', 'foundry'].flatMap((cloud) =>
      ['sonnet', 'opus', 'haiku'].map((model) => ['anthropic', `${cloud}:${model}`] as const),
    ),
    ['openai', 'openrouter:anthropic/claude-sonnet-4.5'],
    ['openai', 'azure:gpt-5.4'],
  ] as const)('%s %s has a price, by the list of its cloud', async (name, model) => {
    const { priced } = (await findEngine(name).reports?.(model)) ?? {}
    expect(priced?.provider).toBe(model.split(':')[0])
    expect(priced && (await isPriced(priced))).toBe(true)
  })
  test('a deployment of an unknown name has none', async () => {
    expect(await isPriced({ model: 'my-own-name', provider: 'azure' })).toBe(false)
  })
  test('provider and family', () => {
    expect(findServingProvider({ name: 'anthropic', model: 'bedrock:x' })).toBe('bedrock')
    expect(findServingProvider({ name: 'anthropic', model: 'x' })).toBe('anthropic')
    const model = 'bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0'
    expect(modelFamily({ name: 'anthropic', model })).toBe('anthropic')
    expect(modelFamily({ name: 'claude-code', model: 'vertex:sonnet' })).toBe('anthropic')
    expect(modelFamily({ name: 'openai', model: 'openrouter:anthropic/claude-sonnet-4.5' })).toBe('anthropic')
  })
  test('the region and the address are part of the key of a run, no secret is', () => {
    const parts = (env: Record<string, string>) => {
      const choice = { name: 'anthropic', model: 'bedrock:x' }
      return buildEngineKeyParts({ choice, probe: null, passEnv: [] }, { env })
    }
    expect(parts(user)).toEqual({ 'engine version': 'unknown', 'endpoint AWS_REGION': 'eu-west-1' })
  })
})
