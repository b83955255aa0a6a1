/** A stand-in for Harbor's container: a working folder and the folders of a task at the absolute paths that a task expects. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { folderOf } from '../../phases/1-plan/folder.ts'
import { needs } from '../../require.ts'

const bubblewrap = 'bwrap'
const canBind = spawnSync(bubblewrap, ['--ro-bind', '/', '/', 'true']).status === 0
const hasPython = spawnSync('python3', ['--version']).status === 0
export const inContainer = needs(
  'bubblewrap and python3',
  canBind && hasPython,
  'install both; docs/how-to/sandbox.md says what bubblewrap needs',
)

const places = ['app', 'tests', 'solution', 'logs', 'var', 'tmp'] as const

/** Starts with the input files of the task; `files` are what an agent would leave. */
export class HarborContainer {
  private readonly root: string
  private readonly task: string

  constructor(task: string, files: Record<string, string | Uint8Array> = {}) {
    this.task = task
    this.root = folderOf(prefixKeys(files))
    for (const place of places) mkdirSync(path.join(this.root, place), { recursive: true })
    const inputs = path.join(task, 'environment/files')
    if (existsSync(inputs)) cpSync(inputs, path.join(this.root, 'app'), { recursive: true })
    for (const place of ['tests', 'solution'] as const) {
      if (existsSync(path.join(task, place)))
        cpSync(path.join(task, place), path.join(this.root, place), { recursive: true })
    }
  }

  /** Runs what the Dockerfile runs, except the installation of packages. */
  build(): void {
    const text = readFileSync(path.join(this.task, 'environment/Dockerfile'), 'utf8').replaceAll('\\\n', '')
    const bundle = path.join(this.task, 'environment/start.bundle')
    if (existsSync(bundle)) cpSync(bundle, path.join(this.root, 'tmp/start.bundle'))
    for (const [, command = ''] of text.matchAll(/^RUN (?!apt-get)(.*)$/gm)) {
      const { code, output } = this.runArgv(command.startsWith('[') ? JSON.parse(command) : ['sh', '-c', command])
      if (code !== 0) throw new Error(`${command}: ${output}`)
    }
  }

  /** Writes into the working folder, as an agent does. */
  write(name: string, text: string): void {
    writeFileSync(path.join(this.root, 'app', name), text)
  }

  /** The exit code and the output of a script, started as Harbor does: in the working folder. */
  run(script: string): { code: number | null; output: string } {
    return this.runArgv(['bash', script])
  }

  runArgv(argv: readonly string[]): { code: number | null; output: string } {
    const own = places.flatMap((place) => ['--bind', path.join(this.root, place), `/${place}`])
    const args = ['--tmpfs', '/', ...bindSystem(), ...own, '--proc', '/proc', '--dev', '/dev']
    const end = spawnSync(bubblewrap, [...args, '--chdir', '/app', ...argv], { encoding: 'utf8', env })
    return { code: end.status, output: end.stdout + end.stderr }
  }

  /** A file that the verifier wrote; null: it did not. */
  log(name: string): string | null {
    const file = path.join(this.root, 'logs/verifier', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }

  /** Decides the checks; `reward` null: none was written. */
  verify(): { reward: number | null; tests: { name: string; status: string; message: string }[]; output: string } {
    const { output } = this.run('/tests/test.sh')
    const reward = this.log('reward.txt')
    const report = JSON.parse(this.log('ctrf.json') ?? '{"results":{"tests":[]}}')
    return { reward: reward === null ? null : Number(reward), tests: report.results.tests, output }
  }
}

/** With an image that lets Python load modules from the working folder. */
const env = { PATH: process.env.PATH ?? '', HOME: '/root', PYTHONPATH: '/app' }

function prefixKeys(files: Record<string, string | Uint8Array>): Record<string, string | Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`app/${name}`, content]))
}

function bindSystem(): string[] {
  const hidden = new Set<string>([...places, 'proc', 'dev'])
  return readdirSync('/').flatMap((name) => (hidden.has(name) ? [] : ['--ro-bind', `/${name}`, `/${name}`]))
}
