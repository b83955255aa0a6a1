/** Recognises errors of a machine that is low on resources, and checks the disk space. */
import { statfsSync } from 'node:fs'
import { errnoCode } from '../errors/error.ts'

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

/** Whether the machine is low on a resource or its disk not writable: every further run would be paid for in vain. */
export function isShortage(error: unknown): boolean {
  return shortages.has(errnoCode(error) ?? '')
}

/** Bytes. With less free space, whatever a program writes is cut off or missing. */
const almostNothing = 64 * 1024

/** Throws ENOSPC when the disk of a folder is full. A file system without a size (blocks 0) is not full. */
export function assertDiskSpace(folder: string): void {
  const { blocks, bsize, bfree, bavail, files, ffree } = statfsSync(folder)
  const free = bsize * (process.getuid?.() === 0 ? bfree : bavail)
  const isFull = (blocks > 0 && free < almostNothing) || (files > 0 && ffree === 0)
  if (isFull) throw Object.assign(new Error(`ENOSPC: no space left on device, ${folder}`), { code: 'ENOSPC' })
}
