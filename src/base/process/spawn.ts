/** Child processes that always end: own process group, both pipes drained, SIGTERM, then SIGKILL after a bounded wait. */
import type { ChildProcess } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { Duplex, type Readable, type Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { attempt, isErrno } from '../errors/attempt.ts'
import { errnoCode, errorMessage } from '../errors/error.ts'
import { hasProxyLogin, openProxyForwarder } from '../http/proxy_forwarder.ts'
import { enterSandbox } from '../sandbox/enter.ts'
import { type Sandbox, showPlaces } from '../sandbox/policy.ts'
import { waitActiveTime } from '../time/active_time.ts'
import { loadExeca, pipesWithoutInherited } from './execa.ts'
import { noteStart } from './marked_processes.ts'
import { isShortage } from './resource_shortage.ts'
import { openStdoutFile, type StdoutFile } from './stdout_file.ts'

export interface ProcessSpec {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Text for stdin, which is closed afterwards; or a function that gets stdin at the start and may write to it. Absent: /dev/null. */
  stdin?: string | ((stdin: Writable) => void)
  signal: AbortSignal
  /** file: for an agent that may write more at once than a pipe holds. Its lines come up to 20 ms later. Absent: a pipe. */
  stdout?: 'file' | 'pipe'
  /** Called with each line of stdout. Returning 'last' means that the output is complete: the process gets `graceMs` to exit. */
  onLine?: (line: string) => undefined | 'last'
  /** File for stderr, appended to, at most `stderrLimit` bytes. */
  stderrFile?: string | null
  /** Bytes kept of stdout (10 MiB), of one line (10 MiB), of the stderr file (1 MiB); milliseconds from SIGTERM to SIGKILL (2000). */
  stdoutLimit?: number
  lineLimit?: number
  stderrLimit?: number
  graceMs?: number
  /** Bytes kept of the end of stderr (4 KiB). */
  stderrTail?: number
  /** Further pipes of the process, from descriptor 3 on. Each function gets its pipe at the start; pipes are closed at the end. */
  pipes?: readonly ((pipe: Duplex) => void)[]
  /** absent or null: not sandboxed. */
  sandbox?: Sandbox | null
}

export interface ProcessEnd {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  /** True when stdout was longer than kept. */
  stdoutCut: boolean
  /** The end of stderr: 4 KiB, or as requested. */
  stderrTail: string
  /** True when Whetstone ended the process after its last line. */
  ended: boolean
}

/** The command could not start. `code`: ENOENT, EACCES, …; never a resource shortage. */
export class SpawnError extends Error {
  override readonly name = 'SpawnError'
  readonly code: string | null
  constructor(command: string, cause: unknown) {
    super(`${command}: ${errorMessage(cause)}`)
    this.code = errnoCode(cause)
  }
}

const MiB = 1024 * 1024

/** How the stdout of an agent CLI is read: line by line. One line may hold all that a tool printed. */
export const agentStdout = { stdout: 'file', stdoutLimit: 0, lineLimit: 256 * MiB } as const

/**
 * Runs a process in its own group. Resolves when it has exited and its pipes are drained, whatever its exit code. Waits at most
 * `graceMs` for an open pipe of a grandchild. Rejects, after the group has ended: with SpawnError when it can't start; with the
 * system's own error when the machine is low on resources (isShortage); with the abort reason when aborted; with what `onLine`
 * threw. No process of the group outlives the call. It gets no login of the user's own proxy.
 */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  spec.signal.throwIfAborted()
  noteStart(spec.env)
  if (hasProxyLogin(spec.env)) {
    await using forwarder = await openProxyForwarder(spec.env)
    return await runProcess({ ...spec, env: forwarder.env })
  }
  if (spec.sandbox) {
    await using entered = await enterSandbox(spec, spec.sandbox)
    const stdin = typeof spec.stdin === 'string' ? showPlaces(spec.stdin, spec.sandbox.policy.places) : spec.stdin
    return await runProcess({ ...spec, ...(stdin !== undefined && { stdin }), ...entered.invocation, sandbox: null })
  }
  const graceMs = spec.graceMs ?? 2000
  const file = spec.stdout === 'file' ? openStdoutFile() : null
  const child = start(spec, file)
  runningChildren.add(child)
  const exit = awaitExit(child, spec.command)
  exit.catch(() => {}) // it may reject before anything awaits it
  feed(child, spec.stdin)
  const pipes = openPipes(child, spec)
  const ending = { ended: false, stop: null as Promise<void> | null, thrown: null as { error: unknown } | null }
  const stop = () => {
    pipes.close()
    ending.stop ??= endProcessGroup(child, exit, graceMs)
  }
  const drain: Drain = (onChunk) => file?.drain(onChunk, exit) ?? drainStream(child.stdout, onChunk)
  const stdout = readLines(drain, spec, {
    onLast: () => {
      void waitActiveTime(graceMs).then(() => {
        ending.ended = child.exitCode === null && child.signalCode === null
        stop()
      })
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
    await Promise.race([Promise.all([stdout.done, stderr.done]), waitActiveTime(graceMs)])
    await ending.stop
    spec.signal.throwIfAborted()
    if (ending.thrown !== null) throw ending.thrown.error
    return { ...end, stdout: stdout.text(), stdoutCut: stdout.cut(), stderrTail: stderr.tail(), ended: ending.ended }
  } finally {
    spec.signal.removeEventListener('abort', stop)
    pipes.close()
    killProcessGroup(child, 'SIGKILL')
    runningChildren.delete(child)
    child.stdin?.destroy()
    child.stdout?.destroy()
    child.stderr?.destroy()
    await stderr.close()
  }
}

const runningChildren = new Set<ChildProcess>()

/** For a program that is about to end: kills the groups of all running children, synchronously. */
export function endGroups(): void {
  for (const child of runningChildren) killProcessGroup(child, 'SIGKILL')
}

/** In its own group, with all output for the caller. */
function start(spec: ProcessSpec, file: StdoutFile | null) {
  const { command, args, cwd, env } = spec
  const streams = { stdio: buildStdio(spec, file), buffer: false, reject: false } as const
  return loadExeca().execa(command, args, { cwd, env, extendEnv: false, detached: true, cleanup: false, ...streams })
}

/** A process with further pipes is sandboxed, and inherits no other open file. */
function buildStdio({ stdin, pipes }: ProcessSpec, file: StdoutFile | null) {
  const first = stdin === undefined ? 'ignore' : 'pipe'
  const stdout = file === null ? 'pipe' : (file.descriptor as 3) // as in pipesWithoutInherited
  return [first, stdout, 'pipe', ...(pipes === undefined ? [] : pipesWithoutInherited(pipes.length))] as const
}

interface Exit {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

/** Does not wait for the pipes, which a grandchild may keep open. */
function awaitExit(child: ReturnType<typeof start>, command: string): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    if (child.pid !== undefined) return
    void child.then(({ cause }) => reject(isShortage(cause) ? cause : new SpawnError(command, cause)))
  })
}

function feed(child: ChildProcess, stdin: ProcessSpec['stdin']): void {
  if (stdin === undefined || !child.stdin) return
  child.stdin.on('error', () => {}) // it may exit without reading: EPIPE is normal
  if (typeof stdin === 'string') child.stdin.end(stdin)
  else stdin(child.stdin)
}

function openPipes(child: ChildProcess, { pipes = [] }: ProcessSpec): { close: () => void } {
  const open = pipes.flatMap((use, index) => {
    const pipe = child.stdio?.[index + 3]
    if (!(pipe instanceof Duplex)) return [] // it could not start
    pipe.on('error', () => {}) // the other end may close first
    use(pipe)
    return [pipe]
  })
  return { close: () => open.forEach((pipe) => void pipe.destroy()) }
}

interface Lines {
  done: Promise<void>
  text: () => string
  cut: () => boolean
}

interface LineListeners {
  onLast: () => void
  /** What `onLine` threw, after which it is not called again. Rethrown from a stream's event, it would end the whole program. */
  onThrow: (error: unknown) => void
}

type Drain = (onChunk: (chunk: Buffer) => void) => Promise<void>

function readLines(drain: Drain, spec: ProcessSpec, { onLast, onThrow }: LineListeners): Lines {
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
  const done = drain((chunk) => take(decoder.write(chunk))).then(() => {
    take(decoder.end())
    endLine()
  })
  return { done, text: () => state.kept.join(''), cut: () => state.cut }
}

function drainErrors(stream: Readable, spec: ProcessSpec) {
  const limit = spec.stderrLimit ?? MiB
  let file: WriteStream | null = null
  const opened = (name: string) => {
    file ??= createWriteStream(name, { flags: 'a' }).on('error', () => {}) // a log that is not writable must not end the run
    return file
  }
  let written = 0
  let tail = Buffer.alloc(0)
  const done = drainStream(stream, (chunk) => {
    if (spec.stderrFile && written < limit) opened(spec.stderrFile).write(chunk.subarray(0, limit - written))
    written += chunk.length
    tail = Buffer.concat([tail, chunk]).subarray(-(spec.stderrTail ?? 4096))
  })
  const close = () => new Promise<void>((resolve) => (file ? file.end(() => resolve()) : resolve()))
  return { done, tail: () => tail.toString('utf8'), close }
}

async function drainStream(stream: Readable | null, onChunk: (chunk: Buffer) => void): Promise<void> {
  if (stream === null) return
  await new Promise<void>((resolve) => {
    stream.on('data', onChunk)
    stream.once('close', resolve)
    stream.once('error', () => resolve())
  })
}

/** SIGTERM to the child's group, then SIGKILL if the child is still there after `graceMs` milliseconds. */
async function endProcessGroup(child: ChildProcess, exit: Promise<unknown>, graceMs: number): Promise<void> {
  killProcessGroup(child, 'SIGTERM')
  const ended = exit.then(
    () => true,
    () => true,
  )
  if (await Promise.race([ended, waitActiveTime(graceMs).then(() => false)])) return
  killProcessGroup(child, 'SIGKILL')
}

/** Signals the child and its children. Ignores a group that has ended. */
function killProcessGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child
  if (pid !== undefined) attempt(() => process.kill(-pid, signal), false, isErrno('ESRCH', 'EPERM'))
}
