/** Runs the built program as a user does, and makes small skills to run it on. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const bin = path.join(import.meta.dirname, '../../dist/program/bin.js')

export interface ProgramEnd {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface ProgramOptions {
  cwd?: string
  env?: Record<string, string>
  /** A shell script that starts the program, which are its "$0" "$@": to limit what it may do. */
  shell?: string
  /** Called with the child, to signal it. */
  started?: (child: ReturnType<typeof spawn>) => void
}

/**
 * The program with these arguments; its environment holds no credential unless given. Suites are the tests' own: `--trust-suite` is
 * added, so that they run where no sandbox works too. A test of what happens without it writes `--sandbox=off`.
 */
export function whetstone(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramEnd> {
  const program = [process.execPath, bin, ...addTrust(args)]
  const [command = '', ...rest] = options.shell === undefined ? program : ['bash', '-c', options.shell, ...program]
  const child = spawn(command, rest, {
    cwd: options.cwd ?? fresh(),
    env: { ...plainEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  options.started?.(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...said }))
  })
}

/** The least environment that the program works in. */
export function plainEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    TMPDIR: tmpdir(),
    XDG_STATE_HOME: path.join(tmpdir(), 'state'),
    XDG_CONFIG_HOME: path.join(tmpdir(), 'config'), // no settings of the person who runs the tests
    NO_COLOR: '1',
    WHETSTONE_LOCAL_URL: 'http://127.0.0.1:9', // no model server of that machine
  }
}

const starting: ReadonlySet<string> = new Set(['bench', 'eval', 'grade', 'check', 'improve', 'demo', 'test'])

/** The arguments, with `--trust-suite` for a command that starts a suite, unless they name a sandbox. */
export function addTrust(args: readonly string[]): readonly string[] {
  const [command = '', ...rest] = args
  const isOwn = rest.some((word) => word.startsWith('--sandbox=') || word === '--print-config')
  return starting.has(command) && !isOwn ? [command, '--trust-suite', ...rest] : args
}

export function fresh(): string {
  return mkdtempSync(path.join(tmpdir(), 'e2e-'))
}

/** A skill folder `<parent>/<name>` with these cases; gives its path. */
export function makeSkill(evals: readonly object[], files: Record<string, string> = {}, name = 'tidy'): string {
  const folder = path.join(fresh(), name)
  const all = {
    'SKILL.md': '---\nname: tidy\ndescription: Tidies things up.\n---\n\nSay TIDY.\n',
    'evals/evals.json': JSON.stringify({ skill_name: 'tidy', evals }),
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

/** The command line of an agent among the fixtures. */
export function agent(name: string): string {
  return `command:${process.execPath} ${path.join(import.meta.dirname, '../fixtures/agents', name)}`
}
