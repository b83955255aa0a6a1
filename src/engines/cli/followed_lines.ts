/** Follows a file that an agent CLI writes, line by line, while it is written. */
import { closeSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { openRegularFile } from '../../base/fs/special_files.ts'

export class FollowedLines {
  readonly #find: () => string | null
  readonly #decoder = new StringDecoder('utf8')
  #file: number | null = null
  #isClosed = false
  #rest = ''

  /** `find` gives the path, or null as long as there is none. */
  constructor(find: () => string | null) {
    this.#find = find
  }

  /** The complete lines since the last call; none if the file is not there, or not a plain file. */
  next(): string[] {
    this.#file ??= this.#isClosed ? null : this.#tryOpen()
    if (this.#file === null) return []
    const chunk = Buffer.alloc(64 * 1024)
    const found: string[] = []
    for (;;) {
      const bytes = readSync(this.#file, chunk, 0, chunk.length, null)
      if (bytes === 0) return found
      const lines = (this.#rest + this.#decoder.write(chunk.subarray(0, bytes))).split('\n')
      this.#rest = lines.pop() ?? ''
      found.push(...lines)
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
    this.#isClosed = true
  }

  #tryOpen(): number | null {
    try {
      const path = this.#find()
      return path === null ? null : openRegularFile(path)
    } catch {
      return null // not created yet
    }
  }
}
