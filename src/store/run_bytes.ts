/** The bytes of what counts of runs, one file behind the other. In a thread of its own: it loads nothing but what it needs. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../base/error.ts'
import { runPaths } from './paths.ts'

export interface Wanted {
  /** The folder, absolute. */
  benchmark: string
  runIds: readonly string[]
  /** What an earlier answer came in, to be filled again. */
  room: ArrayBuffer
}

export interface RunBytes {
  room: ArrayBuffer
  /** Of each run three: the bytes of its record and of its grading, or a word of `told`; `there` where it was graded again. */
  lengths: Int32Array
}

/** In the place of a length. `unread`: large, or not to be read; whoever needs it finds out. */
export const told = { there: 0, absent: -1, unread: -2 } as const

/** Bytes of a file that is handed over. */
const most = 256 * 1024

/** Never throws for what lies on disk. */
export function readRunBytes({ benchmark, runIds, room }: Wanted): RunBytes {
  const lengths = new Int32Array(3 * runIds.length)
  let [bytes, end] = [new Uint8Array(room), 0]
  const take = (file: string): number => {
    if (bytes.length - end <= most) bytes = doubled(bytes)
    const length = readInto(bytes.subarray(end, end + most + 1), file)
    if (length > 0) end += length
    return length
  }
  for (const [at, runId] of runIds.entries()) {
    const { record, grading, again } = runPaths(benchmark, runId)
    lengths[3 * at] = take(record)
    lengths[3 * at + 1] = take(grading)
    lengths[3 * at + 2] = existsSync(again(1)) ? told.there : told.absent
  }
  return { room: bytes.buffer as ArrayBuffer, lengths }
}

function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * Math.max(bytes.length, most))
  larger.set(bytes)
  return larger
}

/** The length of what was read, or a word of `told`. */
function readInto(bytes: Uint8Array, file: string): number {
  try {
    const handle = openSync(file, 'r')
    try {
      let length = 0
      for (;;) {
        if (length === bytes.length) return told.unread
        const got = readSync(handle, bytes, length, bytes.length - length, null)
        if (got === 0) return length
        length += got
      }
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' || code === 'ENOTDIR' ? told.absent : told.unread
  }
}
