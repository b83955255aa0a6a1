/** Model servers of this machine: what `local` finds and says, answers without tools, small contexts, slots and prompts that are cut. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { getAccount } from '../../../src/engines/limits/rate_limiter.ts'
import { local } from '../../../src/features/local/local.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

interface ChatRequest {
  messages: { role: string; content: string }[]
  tools?: { function: { name: string } }[]
}

interface ServerOptions {
  /** What it answers to a path besides the chat and the list of models. */
  paths?: Record<string, object>
  answer?: string
  promptTokens?: number
}

const call = '{"name": "Read", "arguments": {"file_path": "SKILL.md"}}'

/** As llama.cpp's server and Ollama answer, without streaming. */
async function startModelServer({ paths = {}, answer = 'TIDY', promptTokens = 50 }: ServerOptions = {}) {
  const chats: ChatRequest[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const say = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const known = { '/v1/models': { data: [{ id: 'small' }, { id: 'large:latest' }] }, ...paths }[request.url ?? '']
    if (known !== undefined) return say(200, known)
    if (request.url !== '/v1/chat/completions') return say(404, { error: { message: 'no route' } })
    chats.push(JSON.parse(body))
    const usage = { prompt_tokens: promptTokens, completion_tokens: 5 }
    return say(200, { model: 'small', usage, choices: [{ finish_reason: 'stop', message: { content: answer } }] })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url,
    chats,
    run: (args: readonly string[], env = {}) => runMain(args, { env: { WHETSTONE_LOCAL_URL: url, ...env } }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const llama = (context: number, supports_tools: boolean, total_slots = 2) => ({
  '/props': { total_slots, default_generation_settings: { n_ctx: context }, chat_template_caps: { supports_tools } },
})
const ollama = (capabilities: string[], parameters = '') => ({ '/api/show': { capabilities, parameters } })

const cases = [{ id: 1, prompt: 'Tidy up', checks: [{ type: 'contains', value: 'TIDY' }] }]

async function benched(
  options: ServerOptions,
  flags: readonly string[] = [],
  engine = 'local',
  skill = makeSkill(cases),
) {
  await using server = await startModelServer(options)
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', skill, '--engine', engine, '--runs', '2', '--workspace', workspace]
  const end = await server.run([...args, ...flags])
  const read = (name: string) => {
    const [folder = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    return JSON.parse(readFileSync(path.join(workspace, 'benchmarks', folder, name), 'utf8'))
  }
  return { ...end, chats: server.chats, read }
}

describe('doctor', () => {
  const examined = async (options: ServerOptions | null, ...args: string[]) => {
    await using server = await startModelServer(options ?? {})
    const env = options === null ? { WHETSTONE_LOCAL_URL: 'http://127.0.0.1:9' } : {}
    const end = await server.run(['doctor', '--json', '--engine', ['local', ...args].join(':')], env)
    const { findings } = JSON.parse(end.stdout)
    return findings.find(({ name }: { name: string }) => name === 'engine local')
  }
  test.each([
    ['slots and context', llama(8192, true, 4), /^small on the server at \S+, 4 slots of 8,192 tokens; also large/],
    ['that the template has no tools', llama(8192, false), /2 slots of 8,192 tokens, no tool calls;/],
    ['the context of a model of Ollama', ollama(['completion', 'tools'], 'num_ctx   4096'), /, 4,096 tokens;/],
    ['that Ollama lists no tools', ollama(['completion']), /, no tool calls;/],
    ['the context of vLLM', { '/v1/models': { data: [{ id: 'small', max_model_len: 2048 }] } }, /, 2,048 tokens$/],
    ['no more than it knows', {}, /^small on the server at \S+; also large:latest$/],
  ])('says %s', async (_, paths, detail) =>
    expect(await examined({ paths })).toMatchObject({ state: 'ok', detail: expect.stringMatching(detail) }),
  )
  test('finds a model by its name without the tag', async () =>
    expect(await examined({}, 'large')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^large:latest/) }))
  test('names the models where there is no such one', async () =>
    expect(await examined({}, 'smal')).toMatchObject({ state: 'warning', fix: 'did you mean --model small?' }))
  test('says what to start where no server answers', async () =>
    expect(await examined(null)).toMatchObject({ state: 'missing', fix: expect.stringContaining('ollama serve') }))
})

describe('answers without tools', () => {
  const withSkill = ({ messages: [first] }: ChatRequest) => first?.content.includes('Say TIDY.')
  test('are what a model gets whose server says that it calls none', async () => {
    const end = await benched({ paths: llama(8192, false) })
    expect(end).toMatchObject({ code: 0 })
    expect(end.stderr).toContain('activation: answer (the server says that this model cannot call tools')
    expect(end.read('plan.json').options.activation).toBe('answer')
    expect(end.chats.map((one) => [one.tools, one.messages.length, withSkill(one)]).sort()).toEqual([
      [undefined, 1, false],
      [undefined, 1, false],
      [undefined, 1, true],
      [undefined, 1, true],
    ])
  })
  test('are none where the server says that it calls them', async () => {
    const end = await benched({ paths: llama(8192, true) })
    expect(end.read('plan.json').options.activation).toBe('natural')
    expect(end.chats.every(({ tools = [] }) => tools.some((one) => one.function.name === 'Read'))).toBe(true)
  })
  test('name the cases that need tools, and leave skill_read undecided', async () => {
    const more = [
      { ...cases[0], id: 2, files: ['evals/a.csv'] },
      { id: 3, prompt: 'Write it', checks: [{ type: 'contains', path: 'a.md', value: 'x' }] },
      { id: 4, prompt: 'Tidy', checks: [...(cases[0]?.checks ?? []), { type: 'skill_read' }] },
    ]
    const skill = makeSkill([...cases, ...more], { 'evals/a.csv': 'a' })
    const end = await benched({ paths: llama(8192, false) }, [], 'local', skill)
    expect(end.stderr).toContain('in case 2 (input file evals/a.csv), case 3 (check contains)\n')
    const grading = ['with_skill', 'without_skill'].map((one) => end.read(`eval-4-tidy/${one}/run-1/grading.json`))
    for (const { judge_errors } of grading)
      expect(judge_errors).toMatchObject([{ reason: expect.stringContaining('no tools to read it') }])
  })
  test('are refused on an engine whose agent has tools', async () => {
    const end = await benched({}, ['--activation', 'answer'], 'command:true')
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('the agent of command always has its tools') })
  })
})

test('tool calls written as text are counted in the first note', async () => {
  const { notes } = (await benched({ paths: llama(8192, true), answer: call })).read('benchmark.json')
  expect(notes[0]).toMatch(/^4 of 4 answers are tool calls written as text: .* Use --activation answer/)
})

describe('a context', () => {
  test.each([
    ['natural', 1000, /1,000 tokens for a run, which needs about 1,5\d\d /],
    ['answer', 400, /400 tokens for a run, which needs about 5\d\d /],
  ])('that is too small is refused before the first run (%s)', async (activation, size, message) => {
    const end = await benched({ paths: llama(size, true) }, ['--activation', activation])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(message), chats: [] })
    const fits = await benched({ paths: llama(size + 1000, true) }, ['--activation', activation])
    expect(fits.chats).toHaveLength(4)
  })
  test.each([
    ['is cut at the default', '', 2048, 'Ollama cut the prompt at its context of 2,048 tokens'],
    ['is cut at num_ctx', 'num_ctx 3000', 3000, 'Ollama cut the prompt at its context of 3,000 tokens'],
    ['has another length', '', 2047, null],
    ['has another length than num_ctx', 'num_ctx 3000', 2048, null],
  ])('of Ollama, where a prompt %s', async (_, parameters, promptTokens, message) => {
    const end = await benched({ paths: ollama(['completion'], parameters), promptTokens })
    const record = end.read('eval-1-tidy-up/with_skill/run-1/run.json')
    expect(record).toMatchObject(
      message === null
        ? { status: 'completed' }
        : { status: 'failed', error: { message: expect.stringContaining(message) } },
    )
  })
})

test.each([
  ['its slots', llama(8192, true, 3), 3],
  ['no more than any server where it does not say', {}, 8],
])('at a time the server gets %s', async (_, paths, limit) => {
  await using server = await startModelServer({ paths })
  const credentials = { WHETSTONE_LOCAL_URL: server.url }
  await local.probe({ model: null, command: null, credentials, env: {}, signal: new AbortController().signal })
  const id = local.account?.of(credentials, null)
  expect(id && getAccount(id).limit).toBe(limit)
})

describe('without a key', () => {
  test.each(['openai:small', 'anthropic:small'])('a server of this machine is asked (%s)', async (engine) => {
    await using server = await startModelServer()
    const end = await server.run(['doctor', '--json', '--engine', engine], {
      OPENAI_BASE_URL: `${server.url}/v1`,
      ANTHROPIC_BASE_URL: server.url,
    })
    expect(JSON.parse(end.stdout).findings.find(({ name }: { name: string }) => /^engine/.test(name)).state).toBe('ok')
  })
  test('another server is not', async () => {
    const end = await runMain(['doctor', '--json', '--engine', 'openai:small'], {
      env: { OPENAI_BASE_URL: 'http://10.0.0.1:9/v1' },
    })
    expect(end.stdout).toContain('OPENAI_API_KEY is not set')
  })
  test.each([
    ['bench', (skill: string) => ['bench', skill]],
    ['init', (skill: string) => ['init', skill, '--output', path.join(fresh(), 'drafts.json')]],
    ['improve', (skill: string) => ['improve', skill]],
  ])('%s offers the server that is there', async (_, args) => {
    await using server = await startModelServer({ paths: llama(8192, true) })
    const env = { PATH: '/nowhere' }
    const end = await server.run(args(makeSkill([...cases, { ...cases[0], id: 2 }])), env)
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no engine available .*\nhint: add --engine local \(small/s),
    })
    const without = await runMain(args(makeSkill([...cases, { ...cases[0], id: 2 }])), { env })
    expect(without.stderr).not.toContain('--engine local')
  })
})
