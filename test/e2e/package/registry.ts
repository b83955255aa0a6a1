/** A registry of our own on loopback, npm as somebody with an empty home uses it, and the package that `npm pack` makes of this repository. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import * as z from 'zod'
import { needs } from '../../require.ts'
import { fresh, plainEnvironment } from '../program.ts'

export const root = path.join(import.meta.dirname, '../../..')

/** As package.json has it. */
export const { name: packageName } = z
  .object({ name: z.string() })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))

export const needsRegistry = needs(
  'verdaccio',
  existsSync(path.join(root, '.registry/node_modules/verdaccio')),
  'npm run registry',
)

const packedSchema = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string(), size: z.number() })),
  }),
])

export interface Packed {
  /** The tarball. */
  file: string
  size: number
  unpackedSize: number
  files: readonly { path: string; size: number }[]
}

/** Packs the repository as it is: what is in dist must have been built. */
export function pack(): Packed {
  const to = fresh()
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to]
  const [packed] = packedSchema.parse(JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })))
  return { ...packed, file: path.join(to, packed.filename) }
}

/** The files of a tarball in a new folder; gives its path. */
export function unpack(tarball: string): string {
  const folder = fresh()
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder])
  return folder
}

export interface Home extends AsyncDisposable {
  /** Publishes a tarball. */
  publish: (what: string) => Promise<void>
  /** Runs a program in a folder; rejects with its outputs if it fails. */
  run: (
    cwd: string,
    command: readonly string[],
    more?: Record<string, string>,
  ) => Promise<{ stdout: string; stderr: string }>
}

/** Starts the registry with storage of its own, and gives a new home whose npm publishes to it and installs from it. */
export async function openRegistry(): Promise<Home> {
  const folder = fresh()
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).trim()
  const script = path.join(root, 'test/fixtures/package/registry.mjs')
  const server = spawn(process.execPath, [script, root, folder, upstream, packageName], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the registry ended with ${code}`)))
    createInterface(server.stdout).on('line', (line) => {
      const [, port] = /^port (\d+)$/.exec(line) ?? []
      if (port !== undefined) resolve(`http://127.0.0.1:${port}/`)
      else console.error(line)
    })
  })
  const user = { name: 'tester', password: 'on this machine only' }
  const answer = await fetch(`${url}-/user/org.couchdb.user:tester`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  const { token } = z.object({ token: z.string() }).parse(await answer.json())
  const home = path.join(folder, 'home')
  mkdirSync(home)
  const login = path.join(folder, 'publisher.npmrc')
  writeFileSync(login, `${url.replace('http:', '')}:_authToken=${token}\n`)
  const env = {
    ...plainEnvironment(),
    ...{ HOME: home, XDG_STATE_HOME: path.join(home, 'state'), npm_config_registry: url },
    ...{ npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' },
  }
  return {
    // only here with the token: the registry hashes the password for each request that has one
    publish: async (what) => {
      const args = ['publish', what, '--provenance=false', '--userconfig', login, '--loglevel=error']
      await promisify(execFile)('npm', args, { cwd: folder, env })
    },
    run: (cwd, [program = '', ...args], more = {}) =>
      promisify(execFile)(program, args, { cwd, env: { ...env, ...more }, maxBuffer: 2 ** 26 }),
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill()
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }) // tens of thousands of files: not in one go at the end of all tests
    },
  }
}
