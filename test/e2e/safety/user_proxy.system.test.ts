/** Behind a company's proxy with its own authority: SDK engines, judges and the real Claude Code reach their model; without either they do not. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, request as requestHttp } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/practice/server.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'
import { claudeBinary, needs } from '../../require.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const host = 'model.company.example'
const scenario = `rules:
  - name: judges
    when: { tool: '^(submit|StructuredOutput)$', not_called: '^(submit|StructuredOutput)' }
    tool_calls: { name: [submit, StructuredOutput], input: { verdicts: [{ n: 1, passed: true, evidence: TIDY }] } }
  - { name: answers, text: 'TIDY' }`

const folder = fresh()
let practice: PracticeServer
let ca = ''
/** What the proxy was asked for. */
const asked: string[] = []
const servers: Server[] = []
let proxyUrl = ''

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  practice = await startPractice({ scenario: parseScenario(scenario, 'proxy.yaml') })
  mkdirSync(path.join(folder, 'tls'))
  const certificates = makeCertificates(path.join(folder, 'tls'), host)
  ca = certificates.ca
  const tls = createTlsServer(
    { cert: readFileSync(certificates.certificate), key: readFileSync(certificates.key) },
    (request, response) => {
      const { method, headers, url: to } = request
      const onward = requestHttp(`${practice.url}${to}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward)
    },
  )
  const tlsPort = await listen(tls)
  const proxy = createServer()
  proxy.on('connect', (request, client: Socket, head: Buffer) => {
    asked.push(request.url ?? '')
    if (request.url !== `${host}:443`) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const onward = connect(tlsPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.write(head)
      onward.pipe(client).pipe(onward)
    })
    onward.on('error', () => client.destroy())
    client.on('error', () => onward.destroy())
  })
  proxyUrl = `http://127.0.0.1:${await listen(proxy)}`
})

afterAll(async () => {
  for (const server of servers) server.close()
  await practice.close()
})

const company = () => ({ HTTPS_PROXY: proxyUrl, NODE_EXTRA_CA_CERTS: ca })
const keys = {
  ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `https://${host}` },
  ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `https://${host}/v1` },
}

async function bench(engine: string, judge: string, env: Record<string, string>) {
  asked.length = 0
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt: 'tidy', expectations: ['The answer is TIDY'] }])
  const args = ['bench', skill, '--engine', engine, '--judge', judge, '--runs', '1', '--retries', '0']
  const end = await whetstone([...args, '--workspace', workspace], { env: { ...keys, ...env } })
  return { end, asked: [...new Set(asked)] }
}

test.each([
  ['anthropic:claude-sonnet-5-5', 'openai:gpt-5.4'],
  ['openai:gpt-5.4', 'anthropic:claude-sonnet-5-5'],
])('%s is judged by %s, through the proxy', async (engine, judge) => {
  const { end, asked } = await bench(engine, judge, company())
  expect([end.code, end.stdout + end.stderr]).toEqual([0, expect.any(String)])
  expect(asked).toEqual([`${host}:443`])
})

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('the real Claude Code', () => {
  test('through the proxy and in the sandbox', async () => {
    const env = { ...company(), WHETSTONE_CLAUDE: claudeBinary() ?? '' }
    const { end, asked } = await bench('claude-code', 'anthropic:claude-sonnet-5-5', env)
    expect([end.code, end.stdout + end.stderr]).toEqual([0, expect.any(String)])
    expect(asked).toEqual([`${host}:443`])
  })
})

test('without the proxy nothing is reached, before any run', async () => {
  const { end, asked } = await bench('anthropic:claude-sonnet-5-5', 'openai:gpt-5.4', { NODE_EXTRA_CA_CERTS: ca })
  expect(end).toMatchObject({ code: 3, stderr: expect.stringContaining(`can't reach https://${host}`) })
  expect(asked).toEqual([])
})

test('NO_PROXY excludes the address', async () => {
  const env = { ...company(), NO_PROXY: '.company.example' }
  const { end, asked } = await bench('openai:gpt-5.4', 'openai:gpt-5.4', env)
  expect(end.code).toBe(3)
  expect(asked).toEqual([])
})

test("without the company's authority its certificate is refused", async () => {
  const { end } = await bench('anthropic:claude-sonnet-5-5', 'openai:gpt-5.4', { HTTPS_PROXY: proxyUrl })
  expect(end).toMatchObject({ code: 3, stderr: expect.stringContaining('certificate') })
})
