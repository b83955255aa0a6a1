/** Child processes that surely end: own process group, both pipes drained, SIGTERM, then SIGKILL after a bounded wait. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { codeOf, messageOf } from './error.ts'
import { noteStart } from './processes.ts'
import { enterSandbox } from './sandbox/enter.ts'
import type { Sandbox } from './sandbox/policy.ts'
import { isShortage } from './shortage.ts'

export interface ProcessSpec {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Text for stdin, which is closed after it; absent: stdin is /dev/null. */
  stdin?: string
  signal: AbortSignal
  /** Each line of stdout. Returning 'last' says that the process has nothing more to say: it gets `graceMs` to exit. */
  onLine?: (line: string) => undefined | 'last'
  /** File that stderr is appended to, at most `stderrLimit` bytes. */
  stderrFile?: string | null
  /** Bytes of stdout kept in `stdout` (10 MiB), of one line (10 MiB), of the stderr file (1 MiB), and the wait between SIGTERM and SIGKILL. */
  stdoutLimit?: number
  lineLimit?: number
  stderrLimit?: number
  graceMs?: number
  /** Bytes of stderr kept in the end (4 KiB). */
  stderrTail?: number
  /** What it is confined to; absent or null: nothing. */
  sandbox?: Sandbox | null
}

export interface ProcessEnd {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  /** True when stdout was longer than kept. */
  stdoutCut: boolean
  /** The last of stderr: 4 KiB, or as asked. */
  stderrTail: string
  /** True when the process was ended by us after its last line. */
  ended: boolean
}

/** The command could not be started. `code`: ENOENT, EACCES, …; never what the machine is short of. */
export class SpawnError extends Error {
  override readonly name = 'SpawnError'
  readonly code: string | null
  constructor(command: string, cause: unknown) {
    super(`${command}: ${messageOf(cause)}`)
    this.code = codeOf(cause)
  }
}

const MiB = 1024 * 1024

/**
 * Runs a process in its own group. Resolves when it has exited and its pipes are drained (an open pipe held by a
 * grandchild is waited for at most `graceMs`), whatever its exit code; rejects with SpawnError when it can't start, with
 * the system's own error where the machine is too short of something to start it (isShortage), and
 * with the abort reason when aborted, or what `onLine` threw, after the group has ended. Nothing of the group outlives the call.
 */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  spec.signal.throwIfAborted()
  noteStart(spec.env)
  if (spec.sandbox) {
    await using entered = await enterSandbox(spec, spec.sandbox)
    return await runProcess({ ...spec, ...entered.invocation, sandbox: null })
  }
  const graceMs = spec.graceMs ?? 2000
  const child = start(spec)
  running.add(child)
  const exit = exitOf(child, spec.command)
  exit.catch(() => {}) // it may be told before anybody waits for it
  feed(child, spec.stdin)
  const ending = { ended: false, stop: null as Promise<void> | null, thrown: null as { error: unknown } | null }
  const stop = () => {
    ending.stop ??= endGroup(child, exit, graceMs)
  }
  const stdout = readLines(child.stdout, spec, {
    onLast: () => {
      setTimeout(() => {
        ending.ended = child.exitCode === null && child.signalCode === null
        stop()
      }, graceMs).unref()
    },
    onThrow: (error) => {
      ending.thrown = { error }
      stop()
    },
  })
  const stderr = drainErrors(child.stderr, spec)
  spec.signal.addEventListener('abort', stop, { once: true })
  try {
    const end = await exit
    await Promise.race([Promise.all([stdout.done, stderr.done]), delay(graceMs)])
    await ending.stop
    spec.signal.throwIfAborted()
    if (ending.thrown !== null) throw ending.thrown.error
    return { ...end, stdout: stdout.text(), stdoutCut: stdout.cut(), stderrTail: stderr.tail(), ended: ending.ended }
  } finally {
    spec.signal.removeEventListener('abort', stop)
    killGroup(child, 'SIGKILL')
    running.delete(child)
    child.stdout?.destroy()
    child.stderr?.destroy()
    await stderr.close()
  }
}

const running = new Set<ChildProcess>()

/** Ends the groups of all that runs, at once: for a program that is about to end. */
export function endGroups(): void {
  for (const child of running) killGroup(child, 'SIGKILL')
}

function start(spec: ProcessSpec): ChildProcess {
  try {
    return spawn(spec.command, [...spec.args], {
      cwd: spec.cwd,
      env: { ...spec.env },
      detached: true,
      stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw startError(spec.command, error) // too long an argument (E2BIG) is thrown at once, unlike ENOENT
  }
}

function startError(command: string, error: unknown): unknown {
  return isShortage(error) ? error : new SpawnError(command, error)
}

interface Exit {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

function exitOf(child: ChildProcess, command: string): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startError(command, error)))
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
}

function feed(child: ChildProcess, text: string | undefined): void {
  if (text === undefined || !child.stdin) return
  child.stdin.on('error', () => {}) // it may exit without reading: EPIPE is its right
  child.stdin.end(text)
}

async function endGroup(child: ChildProcess, exit: Promise<Exit>, graceMs: number): Promise<void> {
  killGroup(child, 'SIGTERM')
  const ended = exit.then(
    () => true,
    () => true,
  )
  if (await Promise.race([ended, delay(graceMs).then(() => false)])) return
  killGroup(child, 'SIGKILL')
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error
  }
}

interface Lines {
  done: Promise<void>
  text: () => string
  cut: () => boolean
}

interface Heard {
  onLast: () => void
  /** What `onLine` threw: it is asked no more. Thrown on from a stream's event it would end the whole program. */
  onThrow: (error: unknown) => void
}

function readLines(stream: Readable | null, spec: ProcessSpec, { onLast, onThrow }: Heard): Lines {
  const decoder = new StringDecoder('utf8')
  const limit = spec.stdoutLimit ?? 10 * MiB
  const lineLimit = spec.lineLimit ?? 10 * MiB
  const state = { kept: [] as string[], size: 0, cut: false, line: '', lineLost: false, hasThrown: false }
  const tell = (line: string): void => {
    try {
      if (!state.hasThrown && spec.onLine?.(line) === 'last') onLast()
    } catch (error) {
      state.hasThrown = true
      onThrow(error)
    }
  }
  const endLine = (): void => {
    const line = state.line
    const usable = !state.lineLost && line.trim() !== ''
    state.line = ''
    state.lineLost = false
    if (usable) tell(line)
  }
  const take = (text: string): void => {
    if (state.size < limit) state.kept.push(text.slice(0, limit - state.size))
    state.size += text.length
    state.cut ||= state.size > limit
    if (!spec.onLine) return
    const parts = text.split('\n')
    for (const [index, part] of parts.entries()) {
      if (state.line.length + part.length > lineLimit) state.lineLost = true
      else state.line += part
      if (index < parts.length - 1) endLine()
    }
  }
  const done = drained(stream, (chunk) => take(decoder.write(chunk))).then(() => {
    take(decoder.end())
    endLine()
  })
  return { done, text: () => state.kept.join(''), cut: () => state.cut }
}

function drainErrors(stream: Readable | null, spec: ProcessSpec) {
  const limit = spec.stderrLimit ?? MiB
  let file: WriteStream | null = null
  const opened = (name: string) => {
    file ??= createWriteStream(name, { flags: 'a' }).on('error', () => {}) // a log that can't be written must not end the run
    return file
  }
  let written = 0
  let tail = Buffer.alloc(0)
  const done = drained(stream, (chunk) => {
    if (spec.stderrFile && written < limit) opened(spec.stderrFile).write(chunk.subarray(0, limit - written))
    written += chunk.length
    tail = Buffer.concat([tail, chunk]).subarray(-(spec.stderrTail ?? 4096))
  })
  const close = () => new Promise<void>((resolve) => (file ? file.end(() => resolve()) : resolve()))
  return { done, tail: () => tail.toString('utf8'), close }
}

function drained(stream: Readable | null, onChunk: (chunk: Buffer) => void): Promise<void> {
  if (!stream) return Promise.resolve() // without descriptors left Node makes none, whatever its types say
  return new Promise((resolve) => {
    stream.on('data', onChunk)
    stream.once('close', resolve)
    stream.once('error', () => resolve())
  })
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
