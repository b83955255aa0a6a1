/** What the plan says of a run's environment, whoever wrote the plan: nothing of it opens the sandbox, or reaches what starts it. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'
import { folderOf } from '../1-plan/folder.ts'
import { ran, testSurroundings } from './surroundings.ts'

const none = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }

async function ranProgram(
  program: string,
  { env, user = {}, mode }: { env: Record<string, string>; user?: Record<string, string>; mode: 'off' | 'required' },
) {
  const command = `${process.execPath} ${path.join(folderOf({ 'agent.mjs': program }), 'agent.mjs')}`
  const changes = { engine: { name: 'command', model: null, command }, environment: { ...none, env } }
  const { record, run } = await ran('', changes, mode, user)
  return { record, transcript: readFileSync(path.join(run, 'transcript.jsonl'), 'utf8') }
}

const said = 'console.log(JSON.stringify(Object.keys(process.env)))'

test('names that would lead out are not set and told; others are', async () => {
  const env = { LD_PRELOAD: '', https_proxy: 'http://x', OPENAI_BASE_URL: 'http://x', MODE: 'x', NODE_ENV: 'test' }
  const { record, transcript } = await ranProgram(said, { env, mode: 'off' })
  expect(record.status).toBe('completed')
  for (const name of ['LD_PRELOAD', 'https_proxy', 'OPENAI_BASE_URL']) {
    expect(transcript).not.toContain(name)
    expect(record.warnings).toContain(`environment.env.${name} is ignored: each run has its own value`)
  }
  for (const name of ['MODE', 'NODE_ENV']) expect(transcript).toContain(name)
  expect(record.warnings).toHaveLength(3)
})

needsSandbox('what surrounds the agent', () => testSurroundings('required'))

needsSandbox('in the sandbox', () => {
  const call = `
    import { connect } from 'node:net'
    const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {}).end('CONNECT api.openai.com:443 HTTP/1.1\\r\\nhost: api.openai.com:443\\r\\n\\r\\n')
    socket.on('data', (chunk) => console.log('answer', String(chunk))).on('close', () => console.log('done'))
  `
  test.each(['HTTPS_PROXY', 'https_proxy'])('the bridge goes through no %s of the suite', async (name) => {
    const asked: string[] = []
    const server = createServer().on('connect', ({ url = '' }, socket) => {
      asked.push(url)
      socket.end('HTTP/1.1 200 OK\r\n\r\nof the suite')
    })
    server.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const info = server.address()
    const proxy = `http://127.0.0.1:${typeof info === 'object' ? info?.port : ''}`
    // without a base URL the program holds the key itself, and asks through the bridge
    const key = { OPENAI_API_KEY: 'practice' }
    const mode = 'required'
    const suites = await ranProgram(call, { env: { [name]: proxy }, user: key, mode })
    expect([asked, suites.record.status]).toEqual([[], 'completed'])
    expect(suites.transcript).not.toContain('of the suite')
    const users = await ranProgram(call, { env: {}, user: { ...key, [name]: proxy }, mode })
    expect([asked, users.record.status]).toEqual([['api.openai.com:443'], 'completed'])
  })
  test('what starts it is told nothing of the suite that it would load', async () => {
    const env = { LD_PRELOAD: '/no/such.so', LD_DEBUG: 'files', LD_DEBUG_OUTPUT: '/no/such' }
    const { record, transcript } = await ranProgram(said, { env, mode: 'required' })
    expect([record.status, /LD_\w+/.exec(transcript)]).toEqual(['completed', null])
  })
})
