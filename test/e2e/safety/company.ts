/** A company's proxy with its own authority, behind which alone the practice model is reached. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, request as requestHttp } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

export const host = 'model.company.example'
const scenario = `rules:
  - name: judges
    when: { tool: '^(submit|StructuredOutput)$', not_called: '^(submit|StructuredOutput)' }
    tool_calls: { name: [submit, StructuredOutput], input: { verdicts: [{ n: 1, passed: true, evidence: TIDY }] } }
  - { name: answers, text: 'TIDY' }`

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const keys = {
  ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `https://${host}` },
  ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `https://${host}/v1` },
}

/** Its address, the file of its authority, what it was asked for, and a benchmark of one run with this environment. */
export async function openCompany() {
  const folder = fresh()
  const asked: string[] = []
  const practice = await startPractice({ scenario: parseScenario(scenario, 'proxy.yaml') })
  mkdirSync(path.join(folder, 'tls'))
  const certificates = makeCertificates(path.join(folder, 'tls'), host)
  const { ca } = certificates
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
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`
  const bench = async (engine: string, judge: string, env: Record<string, string>) => {
    asked.length = 0
    const workspace = path.join(fresh(), 'ws')
    const skill = makeSkill([{ id: 1, prompt: 'tidy', expectations: ['The answer is TIDY'] }])
    const args = ['bench', skill, '--engine', engine, '--judge', judge, '--runs', '1', '--retries', '0']
    const end = await whetstone([...args, '--workspace', workspace], { env: { ...keys, ...env } })
    return { end, asked: [...new Set(asked)] }
  }
  const close = async () => {
    for (const server of [tls, proxy]) server.close()
    await practice.close()
  }
  return { ca, proxyUrl, settings: { HTTPS_PROXY: proxyUrl, NODE_EXTRA_CA_CERTS: ca }, bench, close }
}
