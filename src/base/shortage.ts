/** What a machine can be short of. */
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { codeOf } from './error.ts'

const shortages: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

/** The machine is short of something, or its disk can't be written to any more: every further run would be paid for in vain. */
export function isShortage(error: unknown): boolean {
  return shortages.has(codeOf(error) ?? '')
}

const enough = Buffer.alloc(4 * 2 ** 20)

/** Whether some megabytes can be written into each of these folders. */
export async function hasRoomIn(folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const file = path.join(folder, `.room-${process.pid}`)
    try {
      await writeFile(file, enough)
    } catch {
      return false
    } finally {
      await rm(file, { force: true }).catch(() => {})
    }
  }
  return true
}
