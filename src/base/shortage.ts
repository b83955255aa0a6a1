/** What a machine can be short of. */
import { randomUUID } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, messageOf } from './error.ts'

const shortages: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
])

/** The machine is short of something, or its disk can't be written to any more: every further run would be paid for in vain. */
export function isShortage(error: unknown): boolean {
  return shortages.has(codeOf(error) ?? '')
}

/** Bytes; with less free whatever a program writes is cut off or not there. */
const almostNothing = 64 * 1024

/** Throws where the disk that a folder lies on is full, as writing there would. A file system that tells no size (blocks 0) is not full. */
export function refuseFull(folder: string): void {
  const { blocks, bsize, bfree, bavail, files, ffree } = statfsSync(folder)
  const free = bsize * (process.getuid?.() === 0 ? bfree : bavail)
  const isFull = (blocks > 0 && free < almostNothing) || (files > 0 && ffree === 0)
  if (isFull) throw Object.assign(new Error(`ENOSPC: no space left on device, ${folder}`), { code: 'ENOSPC' })
}

const enough = Buffer.alloc(4 * 2 ** 20)

/** Why some megabytes can't be written into one of these folders; null: they can. */
export async function noRoomIn(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const why = await whyNotWritten(folder, enough)
    if (why !== null) return why
  }
  return null
}

/** Why nothing can be written into a folder, found by trying; null: it can. */
export async function whyNotWritten(folder: string, content: Uint8Array = new Uint8Array(1)): Promise<string | null> {
  const file = path.join(folder, `.room-${randomUUID()}`)
  try {
    await writeFile(file, content)
    return null
  } catch (error) {
    return messageOf(error)
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}
