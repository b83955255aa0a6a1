/** Behind a proxy that demands a login, children of a run reach the network, and none of them sees the login. */
import { request as requestHttp } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { hasProxyLogin, openProxyForwarder } from '../../../src/base/http/proxy_forwarder.ts'
import { runProcess } from '../../../src/base/process/spawn.ts'
import { decodeLogin } from '../../../src/base/secrets/redact.ts'
import { openToolPlace } from '../../../src/engines/tool_loop/loop.ts'
import { selectTools } from '../../../src/engines/tool_loop/tools/table.ts'
import { commandEngine } from '../../../src/features/command/any_program.ts'
import { perform, stageOfEachTest } from '../../engines/stage.ts'
import { askingProgram, type LoginProxy, openLoginProxy } from '../../fixtures/login_proxy.ts'

let proxy: LoginProxy
beforeEach(async () => {
  proxy = await openLoginProxy()
  return () => proxy[Symbol.asyncDispose]()
})

const stage = stageOfEachTest()
const { signal } = new AbortController()

/** How each kind of child of a run starts the program: its output. */
const children: Readonly<Record<string, (env: Record<string, string>) => Promise<string>>> = {
  'a process of a run': async (env) =>
    (await runProcess({ command: process.execPath, args: ['-e', askingProgram], cwd: stage.cwd, env, signal })).stdout,
  'a tool of an SDK engine': async (env) => {
    const place = await openToolPlace(stage.task({ env }), signal)
    const bash = selectTools('all').find(({ name }) => name === 'Bash')
    const words = `node -e "$PROGRAM"`
    const end = await bash?.run({ command: words }, { ...place, env: { ...env, PROGRAM: askingProgram } })
    return end?.text ?? ''
  },
  'the engine command:': async (env) => {
    const task = stage.task({ env: { ...env, PROGRAM: askingProgram }, command: `sh -c 'node -e "$PROGRAM"' {prompt}` })
    const { outcome } = await perform(commandEngine, task)
    return outcome.status === 'completed' ? (outcome.report.finalResponse ?? '') : JSON.stringify(outcome)
  },
}

describe.each(Object.keys(children))('%s', (kind) => {
  const start = (more: Record<string, string>) => children[kind]?.({ ...stage.env, ...more }) ?? ''

  test('reaches the network through the proxy, and its environment has no login', async () => {
    const said = await start(proxy.variables)
    expect(said).toContain('200 POST /plain is here')
    expect(said).toContain('GET /secure is here')
    expect(proxy.asked).toEqual([`POST http://${proxy.target}/plain`, `CONNECT ${proxy.target}`])
    for (const secret of proxy.secrets) expect(said).not.toContain(secret)
    expect(said).toMatch(/"npm_config_proxy":"http:\/\/127\.0\.0\.1:\d+"/)
    expect(said).toContain('"NO_PROXY":"inner.example"')
  })
  test('control: without the forwarder the proxy answers 407, and the login is seen', async () => {
    const plain = Object.fromEntries(
      Object.entries(proxy.variables).map(([name, url]) => [name, url.replace(/\/\/.*@/, '//')]),
    )
    const said = await start({ ...plain, OTHER: proxy.secrets[0] ?? '' })
    expect(said.match(/^407 ?$/gm)).toHaveLength(2)
    expect(said).toContain(proxy.secrets[0])
    expect(proxy.asked).toEqual([])
  })
})

describe('which variables are replaced', () => {
  test.each([
    ['HTTPS_PROXY', 'http://me:pw@host:8080', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['HTTPS_PROXY', 'https://me:pw@host', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['https_proxy', 'me:pw@host:8080', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['FTP_PROXY', 'http://token@host:8080', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['HTTP_PROXY', 'http://me:p/w@d@host:8080', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['ALL_PROXY', 'socks5://me:pw@host:1080', /^none$/],
    ['HTTPS_PROXY', 'http://me:pw@no host', /^none$/],
  ])('%s=%s', async (name, value, address) => {
    await using forwarder = await openProxyForwarder({ [name]: value, HOME: '/home/me@here' })
    expect(forwarder.env[name] ?? 'none').toMatch(address)
    expect(forwarder.env.HOME).toBe('/home/me@here')
  })
  test.each([
    { HTTPS_PROXY: 'http://host:8080' },
    { NO_PROXY: 'me:pw@host' },
    { HTTPS_PROXY: '' },
    { OTHER: 'http://me:pw@host' },
  ])('control: not of %j', (env) => {
    expect(hasProxyLogin(env)).toBe(false)
  })
})

test('a proxy that is not there makes a request fail, and the end closes open tunnels', async () => {
  const gone = await openProxyForwarder({ HTTP_PROXY: 'http://me:pw@127.0.0.1:1' })
  const answer = await fetchBy(gone.env.HTTP_PROXY ?? '')
  expect(answer).toBe(502)
  await gone[Symbol.asyncDispose]()
  const forwarder = await openProxyForwarder(proxy.variables)
  const url = new URL(forwarder.env.HTTP_PROXY ?? '')
  const closed = new Promise((resolve) => {
    const asking = requestHttp({
      host: url.hostname,
      port: url.port,
      method: 'CONNECT',
      path: proxy.target,
      agent: false,
    })
    asking.on('connect', (_, socket) => {
      socket.on('close', resolve).resume()
      void forwarder[Symbol.asyncDispose]()
    })
    asking.end()
  })
  await closed
})

/** The status of a request to http://site.example through a proxy. */
function fetchBy(address: string): Promise<number | undefined> {
  const { hostname, port: at } = new URL(address)
  return new Promise((resolve, reject) => {
    const asking = requestHttp({ host: hostname, port: at, path: 'http://site.example/', agent: false })
    asking
      .on('response', ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end()
  })
}

test.each([
  ['me:p%40ss', 'me:p@ss'],
  ['me:100%', 'me:100%'],
  ['me:a:b', 'me:a:b'],
])('the login %s is %s', (written, login) => {
  expect(decodeLogin(written)).toBe(login)
})

test('a server is one for the same address', async () => {
  const opened = await openProxyForwarder(proxy.variables)
  expect(new Set(['HTTP_PROXY', 'https_proxy', 'ALL_PROXY'].map((name) => opened.env[name])).size).toBe(1)
  await opened[Symbol.asyncDispose]()
})
