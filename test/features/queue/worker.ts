/** `queue work` as a process of its own, for tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fresh } from '../../e2e/program.ts'

const bin = path.join(import.meta.dirname, '../../../dist/program/bin.js')

export interface Worker extends AsyncDisposable {
  child: ChildProcess
  /** What it told, as JSON lines. */
  events: Record<string, unknown>[]
  started(): number
  ended(): number
  kill(): Promise<void>
  /** As Ctrl-C does: what is in hand ends first. */
  stop(): Promise<void>
  /** All that it wrote. */
  said(): string
}

export interface WorkerOptions {
  env?: Record<string, string>
  flags?: readonly string[]
  /** What it says of its sandbox; absent: off. */
  sandbox?: readonly string[]
  /** Seconds; absent: 2. */
  lock?: string
  /** A program that starts it, with its arguments. */
  through?: readonly string[]
}

/** With short locks, unless it is told otherwise: a job of a dead worker is free after two seconds. */
export async function startWorker(url: string, shared: string, options: WorkerOptions = {}): Promise<Worker> {
  const { sandbox = ['--sandbox', 'off', '--trust-suite'], lock = '2' } = options
  const place = ['--queue', url, '--shared', shared, '--json', '--lock', lock]
  const flags = [...place, ...sandbox, ...(options.flags ?? [])]
  const [command = '', ...args] = [...(options.through ?? []), process.execPath, bin, 'queue', 'work', ...flags]
  const child = spawn(command, args, {
    cwd: fresh(),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TMPDIR: fresh(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const events: Record<string, unknown>[] = []
  let said = ''
  createInterface(child.stdout).on('line', (line) => {
    said += `${line}\n`
    events.push(JSON.parse(line))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const count = (type: string) => events.filter((one) => one.type === type).length
  while (!said.includes('working for')) {
    if (child.exitCode !== null) throw new Error(`the worker ended: ${said}`)
    await sleep(20)
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await gone
  }
  return {
    ...{ child, events, started: () => count('job_started'), ended: () => count('job_ended') },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    said: () => said,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  }
}
