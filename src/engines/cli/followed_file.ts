/** Reads a file of lines while another program writes it. */
import { closeSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { openRegularFile } from '../../base/fs/special_files.ts'

export class FollowedFile {
  readonly #find: () => string | null
  readonly #decoder = new StringDecoder('utf8')
  #file: number | null = null
  #line = ''

  /** `find`: the file's path; null: it is not known yet. */
  constructor(find: () => string | null) {
    this.#find = find
  }

  /** The lines that have been completed since the last call. */
  readLines(): string[] {
    this.#file ??= this.#open()
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

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #open(): number | null {
    const file = this.#find()
    try {
      return file === null ? null : openRegularFile(file)
    } catch {
      return null // not created yet
    }
  }
}
