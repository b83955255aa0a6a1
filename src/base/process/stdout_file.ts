/** The stdout of an agent as a file: what a pipe does not hold at once, a Node program loses when it calls process.exit(). */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface StdoutFile {
  /** For reading and appending. The file has no name, so that it is gone with its last descriptor. */
  descriptor: number
  /** Calls back with what is written until the process has exited, and closes the file. A chunk is valid during the call. */
  drain(onChunk: (chunk: Buffer) => void, exit: Promise<unknown>): Promise<void>
}

const chunkBytes = 256 * 1024
/** Milliseconds between two looks, and how many chunks one takes, because other runs wait for it. */
const lookMs = 20
const chunksOfLook = 64

export function openStdoutFile(): StdoutFile {
  const name = path.join(tmpdir(), `.out-${randomBytes(12).toString('hex')}`)
  const descriptor = openSync(name, 'ax+', 0o600)
  unlinkSync(name)
  const chunk = Buffer.alloc(chunkBytes)
  let at = 0
  const read = (most: number, onChunk: (chunk: Buffer) => void) => {
    for (let count = 0; count < most; count += 1) {
      const bytes = readSync(descriptor, chunk, 0, chunkBytes, at)
      if (bytes === 0) return
      at += bytes
      onChunk(chunk.subarray(0, bytes))
    }
  }
  return {
    descriptor,
    async drain(onChunk, exit) {
      const looks = setInterval(() => read(chunksOfLook, onChunk), lookMs)
      await exit.catch(() => {}) // the caller awaits it too
      clearInterval(looks)
      read(Number.POSITIVE_INFINITY, onChunk)
      closeSync(descriptor)
    },
  }
}
