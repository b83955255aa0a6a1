/** Blobs in a folder: a network share, or one that CI saves and restores. */
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errnoCode } from '../../base/errors/error.ts'
import { tempSiblingName } from '../../base/fs/temp_sibling.ts'
import { type BlobStore, maxBlobBytes } from './blob_store.ts'

/** `folder`: absolute; created on the first write, in an existing folder. */
export function openFolderBlobs(folder: string): BlobStore {
  return {
    place: folder,
    get: (name) => readBlob(path.join(folder, name)),
    async put(name, blob) {
      await mkdir(folder).catch(ignoreExisting)
      const place = path.join(folder, name)
      const temporary = tempSiblingName(place)
      try {
        await writeFile(temporary, blob, { flag: 'wx' })
        await rename(temporary, place)
      } finally {
        await rm(temporary, { force: true })
      }
    },
  }
}

/** Opens only plain files, and without waiting: others may have put a link, a pipe or a device there. */
async function readBlob(file: string): Promise<Buffer | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const info = await handle.stat()
    if (!info.isFile()) throw new Error(`${file}: not a plain file`)
    if (info.size > maxBlobBytes) throw new Error(`${file}: larger than ${maxBlobBytes} bytes`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(info.size), 0, info.size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function ignoreExisting(error: unknown): void {
  if (errnoCode(error) !== 'EEXIST') throw error
}
