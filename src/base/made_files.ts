/** Files that are written one by one and then made durable together, each through the descriptor that wrote it, and their folder with them. */
import { closeSync, fsync, ftruncateSync, openSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { syncFolder } from './durable.ts'

const sync = promisify(fsync)

/** Closes its files when it is disposed of. */
export class MadeFiles implements Disposable {
  readonly #open = new Map<string, number>()

  /** Writes a whole file. Throws what the file system throws. */
  write(file: string, data: string): void {
    const descriptor = openSync(file, 'w')
    this.take(file, descriptor)
    writeFileSync(descriptor, data)
  }

  /** Writes over what a file holds that is there, in one step where the data are short: who is killed meanwhile leaves the one or the other. */
  overwrite(file: string, data: string): void {
    const descriptor = openSync(file, 'r+')
    this.take(file, descriptor)
    writeFileSync(descriptor, data)
    ftruncateSync(descriptor, Buffer.byteLength(data))
  }

  /** From now on it is ours to close. */
  take(file: string, descriptor: number): void {
    const before = this.#open.get(file)
    if (before !== undefined) closeSync(before)
    this.#open.set(file, descriptor)
  }

  /** Makes the content of all of them durable, and the names of what lies in this folder now; gives their paths and the folder's. */
  async sync(folder: string): Promise<ReadonlySet<string>> {
    const written = [...this.#open.values()].map((descriptor) => sync(descriptor))
    const ends = await Promise.allSettled([...written, syncFolder(folder)]) // the disk writes together what is asked together
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return new Set([...this.#open.keys(), folder])
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor)
    this.#open.clear()
  }
}
