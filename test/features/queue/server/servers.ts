/** Real queue servers for tests, each in a temporary folder, on a free port of loopback. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificates } from '../../../fixtures/certificates.ts'
import { needs, type Suite } from '../../../require.ts'

export interface QueueServer extends AsyncDisposable {
  port: number
  /** Without user and password where it needs them. */
  url: string
  /** As a power failure would. */
  kill(): Promise<void>
  /** On the same port, with what it kept. */
  start(): Promise<void>
}

export interface RedisOptions {
  tls?: Certificates
  /** Lines of an ACL file, such as `user worker on >secret ~whetstone* &* +@all`. */
  acl?: readonly string[]
}

const program = (name: string) =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin'].map((folder) => path.join(folder, name)).find(existsSync) ??
  null

const redisProgram = program('redis-server')
const postgresVersions = '/usr/lib/postgresql'
/** Where its programs are. */
const postgresFolder = existsSync(postgresVersions)
  ? path.join(postgresVersions, readdirSync(postgresVersions).sort().at(-1) ?? '', 'bin')
  : null

export const needsRedis: Suite = needs('redis-server', redisProgram !== null, 'apt-get install redis-server')
export const needsPostgres: Suite = needs('postgres', postgresFolder !== null, 'apt-get install postgresql')

/** Writes what it is told to disk every second, as a queue server should. */
export async function startRedis({ tls, acl }: RedisOptions = {}): Promise<QueueServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'redis-test-'))
  const port = await freePort()
  const args = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes']
  if (tls === undefined) args.push('--port', `${port}`)
  else {
    const files = ['--tls-ca-cert-file', tls.ca, '--tls-cert-file', tls.certificate, '--tls-key-file', tls.key]
    args.push('--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no', ...files)
  }
  if (acl !== undefined) {
    writeFileSync(path.join(folder, 'users.acl'), `${acl.join('\n')}\n`)
    args.push('--aclfile', path.join(folder, 'users.acl'))
  }
  const url = `${tls === undefined ? 'redis://127.0.0.1' : 'rediss://localhost'}:${port}`
  return await serverOf({ port, url, folder, start: () => spawn(redisProgram ?? '', args, { stdio: 'ignore' }) })
}

export interface PostgresOptions {
  tls?: Certificates
  /** Of the user `whetstone`; absent: nobody needs one. */
  password?: string
}

/** A cluster with a database `whetstone` of the user `whetstone`. It refuses to run as root: then as the user postgres. */
export async function startPostgres({ tls, password }: PostgresOptions = {}): Promise<QueueServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'postgres-test-'))
  const data = path.join(folder, 'data')
  const port = await freePort()
  const own = ownerOf(folder)
  const at = (name: string) => path.join(postgresFolder ?? '', name)
  const secret = path.join(folder, 'password')
  writeFileSync(secret, password ?? 'none', { mode: 0o600 })
  own.take(secret)
  const auth = password === undefined ? ['-A', 'trust'] : ['-A', 'scram-sha-256', '--pwfile', secret]
  own.run([at('initdb'), '-D', data, '-U', 'whetstone', ...auth, '--no-sync'])
  const set = ['fsync=off', `port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  if (tls !== undefined) {
    for (const [name, file] of [
      ['server.crt', tls.certificate],
      ['server.key', tls.key],
    ] as const) {
      copyFileSync(file, path.join(data, name))
      own.take(path.join(data, name))
    }
    execFileSync('chmod', ['600', path.join(data, 'server.key')])
    set.push('ssl=on')
    writeFileSync(path.join(data, 'pg_hba.conf'), 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n')
  }
  const settings = set.flatMap((one) => ['-c', one])
  const server = await serverOf({
    port,
    url: `postgres://${password === undefined ? 'whetstone@' : ''}${tls === undefined ? '127.0.0.1' : 'localhost'}:${port}/whetstone`,
    folder,
    start: () => own.start([at('postgres'), '-D', data, ...settings]),
    isUp: () => spawnSync(at('pg_isready'), ['-h', folder, '-p', `${port}`]).status === 0, // it listens before it takes anybody in
  })
  const environment = { ...process.env, PGPASSWORD: password ?? '' }
  const place = ['-h', folder, '-p', `${port}`, '-U', 'whetstone', '-d', 'postgres']
  execFileSync(at('psql'), [...place, '-c', 'create database whetstone'], { stdio: 'pipe', env: environment })
  return server
}

/** Root hands the folder to the user postgres, and runs its programs as that user. */
function ownerOf(folder: string) {
  const isRoot = process.getuid?.() === 0
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = isRoot ? [id('-u'), id('-g')] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const take = (file: string) => chownSync(file, uid, gid)
  take(folder)
  const place = { cwd: folder, uid, gid }
  return {
    take,
    run: ([command = '', ...args]: string[]) => execFileSync(command, args, { ...place, stdio: 'pipe' }),
    start: ([command = '', ...args]: string[]) => spawn(command, args, { ...place, stdio: 'ignore' }),
  }
}

async function serverOf(parts: {
  port: number
  url: string
  folder: string
  start: () => ChildProcess
  /** Absent: when it listens. */
  isUp?: () => boolean
}): Promise<QueueServer> {
  const { port, url, folder } = parts
  let child: ChildProcess | null = null
  // postgres ends at once as long as children of the one that was killed are there
  const start = async (tries = 40): Promise<void> => {
    child = parts.start()
    if (await listens(port, child, parts.isUp)) return
    if (tries === 0) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    await sleep(250)
    await start(tries - 1)
  }
  const kill = async () => {
    const gone = child
    child = null
    if (gone === null || gone.exitCode !== null) return
    const ended = once(gone, 'exit')
    gone.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    url,
    kill,
    start: () => start(),
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 }) // postgres' own children end a moment later
    },
  }
}

/** Waits until it does; false: it has ended. */
async function listens(port: number, child: ChildProcess, isUp = () => true): Promise<boolean> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) return false
    const socket = dial(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere && isUp()) return true
    await sleep(25)
  }
  throw new Error(`${child.spawnfile} does not listen`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
