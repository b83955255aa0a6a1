/** Stores contents by their hash, in a folder that all machines see. Any store with the same three operations could replace it. */
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { errnoCode } from '../../base/errors/error.ts'
import { syncFile, syncFolder, writeAtomic } from '../../base/fs/durable_files.ts'
import { hashFile } from '../../base/fs/files.ts'
import { tempSiblingName } from '../../base/fs/temp_sibling.ts'

/** Contents by their sha256. Readers must verify the hash themselves. */
export interface ObjectStore {
  /** Stores a file or a text under its hash, durably and completely or not at all; leaves an existing valid one. */
  put(sha256: string, content: { file: string } | { text: string }): Promise<void>
  /** Copies a content to a new local file; false: not found. Rejects with what the file system throws. */
  get(sha256: string, to: string): Promise<boolean>
  /** The path of a content, for messages. */
  placeOf(sha256: string): string
}

/** A shared folder. Two processes may store the same content at once: the bytes are equal, and the later rename changes nothing. */
export function openSharedObjects(folder: string): ObjectStore {
  const placeOf = (sha256: string) => path.join(folder, sha256.slice(0, 2), sha256)
  return {
    placeOf,
    async put(sha256, content) {
      const place = placeOf(sha256)
      if (await isSound(place, sha256)) return
      await makeDurable(path.dirname(place))
      if ('text' in content) return await writeAtomic(place, content.text)
      const temporary = tempSiblingName(place)
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
        if (errnoCode(error) === 'ENOENT' && !existsSync(placeOf(sha256))) return false
        throw error
      }
    },
  }
}

/** A content damaged on disk counts as missing, so repeating the same command repairs it. */
async function isSound(place: string, sha256: string): Promise<boolean> {
  return await hashFile(place).then(
    (found) => found === sha256,
    () => false,
  )
}

/** Makes a new folder and its entry in the parent survive a power failure. */
async function makeDurable(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const first = await mkdir(folder, { recursive: true })
  if (first !== undefined) await syncFolder(path.dirname(first))
}
