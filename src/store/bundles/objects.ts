/** Where contents are kept by their hash: a folder that all machines see. Anything that can put, get and look could stand in its place. */
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { nameBeside } from '../../base/beside.ts'
import { syncFile, syncFolder, writeAtomic } from '../../base/durable.ts'
import { codeOf } from '../../base/error.ts'
import { hashFile } from '../../base/files.ts'

/** Contents by their sha256. Nobody trusts what comes out: whoever gets a content hashes it. */
export interface Objects {
  /** Keeps a file or a text under its hash, durable and whole or not at all; what is there already, and sound, is left. */
  put(sha256: string, content: { file: string } | { text: string }): Promise<void>
  /** Copies a content to a new local file; false: there is none of that name. Rejects with what the file system throws. */
  get(sha256: string, to: string): Promise<boolean>
  /** For messages: where a content lies. */
  placeOf(sha256: string): string
}

/** A shared folder. Two may put the same at once: both write the same bytes, and the later rename changes nothing. */
export function sharedObjects(folder: string): Objects {
  const placeOf = (sha256: string) => path.join(folder, sha256.slice(0, 2), sha256)
  return {
    placeOf,
    async put(sha256, content) {
      const place = placeOf(sha256)
      if (await isSound(place, sha256)) return
      await makeDurable(path.dirname(place))
      if ('text' in content) return await writeAtomic(place, content.text)
      const temporary = nameBeside(place)
      try {
        await copyFile(content.file, temporary, constants.COPYFILE_FICLONE)
        await syncFile(temporary)
        await rename(temporary, place)
        await syncFolder(path.dirname(place))
      } finally {
        await rm(temporary, { force: true })
      }
    },
    async get(sha256, to) {
      try {
        await copyFile(placeOf(sha256), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        return true
      } catch (error) {
        if (codeOf(error) === 'ENOENT' && !existsSync(placeOf(sha256))) return false
        throw error
      }
    },
  }
}

/** A content that rotted where it lies is put anew: then the same command again mends it. */
async function isSound(place: string, sha256: string): Promise<boolean> {
  return await hashFile(place).then(
    (found) => found === sha256,
    () => false,
  )
}

/** A folder made now, and the one above that names it, outlive a power failure. */
async function makeDurable(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const first = await mkdir(folder, { recursive: true })
  if (first !== undefined) await syncFolder(path.dirname(first))
}
