/** What is outside of every sandbox and must stay out of reach: files, keys, servers, processes, each with a canary in it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, closeSync, copyFileSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openTempDir } from '../../../src/base/fs/temp_dir.ts'

export const canary = 'CANARY-7f3a-of-the-outside'

/** The number under which a program that starts Whetstone hands on an open file: Node closes low ones itself. */
export const handedOn = 40

export interface Outside extends AsyncDisposable {
  root: string
  /** The user's home, with a key. */
  home: string
  /** A suite with its answers, and the folder of results. */
  suite: string
  /** Another run's room. */
  sibling: string
  /** A folder that anybody may write to. */
  open: string
  /** A setuid copy of `id`, where root lays it out. */
  setuid: string
  /** A file in /dev/shm. */
  memory: string
  /** A server on TCP, and one on the abstract socket of this name. */
  port: number
  socket: string
  /** A process of the harness with a secret in its environment. */
  harness: ChildProcess
  /** An open file with the canary. */
  descriptor: number
}

/** Lays it out for a user; 0: as it is made. */
export async function layOut(user = process.getuid?.() ?? 0): Promise<Outside> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'outside-')))
  const at = (name: string) => path.join(root, name)
  const files = {
    'home/.ssh/id_ed25519': canary,
    'suite/evals/evals.json': JSON.stringify({ expected_output: canary }),
    'suite/results/benchmark.json': canary,
    'open/nothing': '',
    'tools/nothing': '',
    'held/file': canary,
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(at(name)), { recursive: true })
    await writeFile(at(name), text)
  }
  const room = await openTempDir()
  await mkdir(path.join(room.path, 'work'))
  await writeFile(path.join(room.path, 'work/notes.txt'), canary)
  const memory = `/dev/shm/${path.basename(root)}`
  writeFileSync(memory, canary)
  copyFileSync('/usr/bin/id', at('tools/id'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['-R', `${user}:${user}`, root, room.path, memory])
  if (isRoot) chownSync(at('tools/id'), 0, 0)
  chmodSync(at('tools/id'), 0o4755)
  const socket = `\0${path.basename(root)}`
  const servers = [await serve({ host: '0.0.0.0', port: 0 }), await serve({ path: socket })]
  const info = servers[0]?.address()
  const env = { HARNESS_SECRET: canary, PATH: process.env.PATH ?? '' }
  const harness = spawn('sleep', ['600'], { env, ...(isRoot ? { uid: user, gid: user } : {}) })
  const descriptor = openSync(at('held/file'), 'r')
  return {
    ...{ root, descriptor, memory, socket, harness, home: at('home'), suite: at('suite'), open: at('open') },
    ...{ sibling: room.path, setuid: at('tools/id') },
    port: typeof info === 'object' && info !== null ? info.port : 0,
    async [Symbol.asyncDispose]() {
      harness.kill()
      for (const server of servers) server.close()
      await room[Symbol.asyncDispose]()
      closeSync(descriptor)
      rmSync(memory)
      await rm(root, { recursive: true, force: true })
    },
  }
}

function serve(place: { host: string; port: number } | { path: string }): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => void socket.end(`${canary}\n`))
    server.listen(place, () => resolve(server))
  })
}
