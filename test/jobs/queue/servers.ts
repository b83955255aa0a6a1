/** Real queue servers for tests: each on a free port of the loopback, in a temporary folder of its own, ended with the test. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { needs, type Suite } from '../../require.ts'

export interface QueueServer extends AsyncDisposable {
  url: string
  /** As a crash does. */
  kill(): Promise<void>
  /** With what it wrote to its disk. */
  start(): Promise<void>
}

const postgresFolder = '/usr/lib/postgresql'
const postgresBin = existsSync(postgresFolder)
  ? readdirSync(postgresFolder).map((version) => path.join(postgresFolder, version, 'bin'))[0]
  : undefined
const hasRedis = spawnSync('redis-server', ['--version']).status === 0

export const needsRedis: Suite = needs('redis-server', hasRedis, 'apt-get install redis-server')
export const needsPostgres: Suite = needs('postgres', postgresBin !== undefined, 'apt-get install postgresql')

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

interface Program {
  command: string
  args: readonly string[]
  /** Resolves when it answers. */
  isUp: () => boolean
}

async function server(url: string, program: Program): Promise<QueueServer> {
  let child: ReturnType<typeof spawn> | null = null
  const one: QueueServer = {
    url,
    async start() {
      child = spawn(program.command, program.args, { stdio: 'ignore' })
      for (let tries = 0; !program.isUp(); tries += 1) {
        if (tries > 200) throw new Error(`${program.command} does not come up`)
        await sleep(50)
      }
    },
    async kill() {
      const gone = new Promise((resolve) => child?.once('exit', resolve))
      if (child === null || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await gone
    },
    [Symbol.asyncDispose]: () => one.kill(),
  }
  await one.start()
  return one
}

export async function startRedis(more: readonly string[] = []): Promise<QueueServer> {
  const port = await freePort()
  const folder = mkdtempSync(path.join(tmpdir(), 'redis-'))
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes']
  return server(`redis://127.0.0.1:${port}`, {
    command: 'redis-server',
    args: [...args, '--appendfsync', 'everysec', '--loglevel', 'warning', ...more],
    isUp: () => spawnSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8' }).stdout === 'PONG\n',
  })
}

/** postgres refuses to run as root: then it runs as the user that its package made. */
export async function startPostgres(): Promise<QueueServer> {
  const bin = postgresBin ?? ''
  const port = await freePort()
  const folder = mkdtempSync(path.join(tmpdir(), 'postgres-'))
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : ['env']
  if (isRoot) {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
    chownSync(folder, id('-u'), id('-g'))
  }
  const [command = '', ...first] = as
  const data = path.join(folder, 'data')
  execFileSync(command, [...first, path.join(bin, 'initdb'), '-D', data, '-U', 'queue', '-A', 'trust', '-N'], {
    stdio: 'ignore',
  })
  const where = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`]
  return server(`postgres://queue@127.0.0.1:${port}/postgres`, {
    command,
    args: [...first, path.join(bin, 'postgres'), '-D', data, '-p', String(port), ...where],
    isUp: () => spawnSync(path.join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0,
  })
}
