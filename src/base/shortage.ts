/** What a machine can be short of. */
import { randomUUID } from 'node:crypto'
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
