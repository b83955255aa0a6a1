/** Files of an agent's own: where they are; reads their lines while it writes them, and replaces them between two of its processes. */
import { closeSync, readSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { isPlainFolder } from '../../base/fs/inside_folder.ts'
import { openRegularFile } from '../../base/fs/special_files.ts'
import type { EngineTask } from '../engine.ts'

export type FolderTask = Pick<EngineTask, 'env' | 'sessionId' | 'ownsHome'>

/** The folder of a CLI's settings and session. Judges share a home, so that each of their sessions has one. */
export function findOwnFolder({ env, sessionId, ownsHome }: FolderTask, name: string): string {
  return path.join(env.HOME ?? '', name, ownsHome ? 'session' : sessionId)
}

export class FollowedFile {
  readonly #find: () => string | null
  readonly #decoder = new StringDecoder('utf8')
  #file: number | null = null
  #isClosed = false
  #line = ''

  /** `find`: the file's path; null, or an error: it is not known yet. */
  constructor(find: () => string | null) {
    this.#find = find
  }

  /** Whether the file was there at the last call of `readLines`, and has not been closed. */
  get isOpen(): boolean {
    return this.#file !== null
  }

  /** The lines that have been completed since the last call; none if the file is not there, not a plain file, or closed. */
  readLines(): string[] {
    this.#file ??= this.#isClosed ? null : this.#open()
    if (this.#file === null) return []
    const chunk = Buffer.alloc(64 * 1024)
    const all: string[] = []
    for (;;) {
      const bytes = readSync(this.#file, chunk, 0, chunk.length, null)
      if (bytes === 0) return all
      const lines = (this.#line + this.#decoder.write(chunk.subarray(0, bytes))).split('\n')
      this.#line = lines.pop() ?? ''
      for (const line of lines) all.push(line)
    }
  }

  /** Leaves out what has been written by now. */
  skipWritten(): void {
    this.readLines()
    this.#line = ''
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
    this.#isClosed = true
  }

  #open(): number | null {
    try {
      const file = this.#find()
      return file === null ? null : openRegularFile(file)
    } catch {
      return null // not created yet
    }
  }
}

/** Replaces a file below the home, whose folder is there. A text: why it can't, and so the session can't be continued. */
export function replaceOwnFile(home: string, file: string, text: string): string | null {
  const folder = path.dirname(file)
  if (!isPlainFolder(home, folder)) return `the agent has replaced a folder of its settings: ${folder}`
  rmSync(file, { force: true, recursive: true })
  writeFileSync(file, text, { flag: 'wx' })
  return null
}
