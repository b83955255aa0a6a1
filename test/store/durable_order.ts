/** In what order the files of a folder were written, synced and moved to its place with it, by what strace saw of a program. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { needs } from '../require.ts'

const program = 'strace'

/** Registers tests where strace may trace. */
export const needsStrace = needs(
  'strace that may trace',
  spawnSync(program, ['-f', '-o', '/dev/null', 'true']).status === 0,
  'apt-get install strace (in a container: --cap-add SYS_PTRACE)',
)

/** A call of the system; `begin` and `end`: when, by the lines of the trace. */
export interface Call {
  name: string
  text: string
  begin: number
  end: number
}

const traced =
  '?open,openat,write,writev,pwrite64,ftruncate,copy_file_range,sendfile,fsync,fdatasync,?rename,renameat,renameat2,?unlink,unlinkat'

/** A command that writes the calls of what is started through it to a file. What goes through io_uring is seen by nobody: turn it off. */
export const straceTo = (file: string) => [program, '-f', '-y', '-s', '0', '-o', file, '-e', `trace=${traced}`]

/** Of the output of `strace -f -y`; calls that failed are left out. */
export function callsIn(trace: string): Call[] {
  const calls: Call[] = []
  const open = new Map<string, Call>()
  for (const [at, line] of trace.split('\n').entries()) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const begun = /^(\w+)\((.*?)( <unfinished \.\.\.>)?$/.exec(rest)
    const call =
      resumed === null ? begun && { name: begun[1] ?? '', text: begun[2] ?? '', begin: at, end: at } : open.get(pid)
    if (!call) continue
    if (resumed !== null) Object.assign(call, { text: call.text + (resumed[1] ?? ''), end: at })
    open.set(pid, call)
    if (!/= \d+(<[^>]*>)?$/.test(call.text) || calls.includes(call)) continue
    calls.push(call)
  }
  return calls
}

/** Files that a call names by descriptor, as `-y` shows them, and by path. */
const byDescriptor = (call: Call) => [...call.text.matchAll(/\d+<([^>]*)>/g)].map(([, file = '']) => file)
const byPath = (call: Call) => [...call.text.matchAll(/"([^"]*)"/g)].map(([, file = '']) => file)

function writtenBy(call: Call): string | undefined {
  if (/^(write|writev|pwrite64|ftruncate|sendfile)$/.test(call.name)) return byDescriptor(call)[0]
  return call.name === 'copy_file_range' ? byDescriptor(call)[1] : undefined
}

const makes = (call: Call, below: string) =>
  /^open(at)?$/.test(call.name) && /O_CREAT/.test(call.text)
    ? byPath(call).find((file) => file.startsWith(below))
    : undefined

/** A folder, or a file, that was moved to its place; absolute paths. */
export interface Commit {
  from: string
  to: string
  call: Call
}

/** The renames that are commits. */
export function commitsIn(calls: readonly Call[], isCommit: (from: string, to: string) => boolean): Commit[] {
  return calls.flatMap((call) => {
    const [from = '', to = ''] = /^rename/.test(call.name) ? byPath(call) : []
    return from !== '' && isCommit(from, to) ? [{ from, to, call }] : []
  })
}

/** Whether a worker's attempt is moved to its place. */
export const isAttempt = (from: string, to: string) => from === `${to}.part`

export const isSync = (call: Call, file: string) => /^f(data)?sync$/.test(call.name) && byDescriptor(call)[0] === file

/** What a power failure could take of the folders that were committed; nothing: all was durable in time. */
export function unsafeIn(calls: readonly Call[], commits: readonly Commit[]): string[] {
  return commits.flatMap(({ from, to, call: commit }) => {
    const isSynced = (file: string, after: number, before: number) =>
      calls.some((call) => isSync(call, file) && call.begin > after && call.end < before)
    const gone = new Set(calls.flatMap((call) => (/^unlink/.test(call.name) ? byPath(call) : [])))
    const made = calls.filter((call) => call.end < commit.begin && makes(call, `${from}/`) !== undefined)
    const files = new Set(made.flatMap((call) => makes(call, `${from}/`) ?? []).filter((file) => !gone.has(file)))
    const lastOf = (some: readonly Call[]) => Math.max(-1, ...some.map(({ end }) => end))
    const writes = (file: string) => calls.filter((call) => writtenBy(call) === file)
    const inFolder = made.filter((call) => path.dirname(makes(call, `${from}/`) ?? '') === from)
    return [
      ...[...files]
        .filter((file) => !isSynced(file, lastOf(writes(file)), commit.begin))
        .map((file) => `not synced: ${file}`),
      ...(isSynced(from, lastOf([...inFolder, ...writes(from)]), commit.begin) ? [] : [`not synced: ${from}`]),
      ...(isSynced(path.dirname(to), commit.end, Number.POSITIVE_INFINITY) ? [] : [`rename not synced: ${from}`]),
    ]
  })
}

/** Files that were made in a folder. */
export function filesOf(calls: readonly Call[], folder: string): string[] {
  return [...new Set(calls.flatMap((call) => makes(call, `${folder}/`) ?? []))]
}
