/** In what order files of an attempt were written, synced and renamed, by what strace saw of a worker. */
import path from 'node:path'

/** A call of the system; `begin` and `end`: when, by the lines of the trace. */
export interface Call {
  name: string
  text: string
  begin: number
  end: number
}

export const traced = [
  ...[
    '?open',
    'openat',
    'write',
    'writev',
    'pwrite64',
    'ftruncate',
    'copy_file_range',
    'sendfile',
    'fsync',
    'fdatasync',
  ],
  ...['?rename', 'renameat', 'renameat2', '?unlink', 'unlinkat'],
].join(',')

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

/** The renames by which attempts were committed. */
export function commitsIn(calls: readonly Call[]): { from: string; call: Call }[] {
  return calls.flatMap((call) => {
    const [from = '', to = ''] = /^rename/.test(call.name) ? byPath(call) : []
    return from !== '' && from === `${to}.part` ? [{ from, call }] : []
  })
}

export const isSync = (call: Call, file: string) => /^f(data)?sync$/.test(call.name) && byDescriptor(call)[0] === file

/** What a power failure could take of the attempts that were committed; nothing: all was durable in time. */
export function unsafeIn(calls: readonly Call[]): string[] {
  return commitsIn(calls).flatMap(({ from, call: commit }) => {
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
      ...(isSynced(from, lastOf(inFolder), commit.begin) ? [] : [`folder not synced: ${from}`]),
      ...(isSynced(path.dirname(from), commit.end, Number.POSITIVE_INFINITY) ? [] : [`rename not synced: ${from}`]),
    ]
  })
}

/** Files that were made in an attempt. */
export function filesOf(calls: readonly Call[], attempt: string): string[] {
  return [...new Set(calls.flatMap((call) => makes(call, `${attempt}/`) ?? []))]
}
