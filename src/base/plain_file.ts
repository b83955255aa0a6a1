/** What is no file, among what others made: whoever opens a pipe waits for its other end, for good, and a device may never end. */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'

/** What something is that is neither a file nor a folder, in words; null: it is one of them. */
export function oddKind(info: Stats): string | null {
  if (info.isFile() || info.isDirectory()) return null
  if (info.isFIFO()) return 'a pipe'
  if (info.isSocket()) return 'a socket'
  return info.isSymbolicLink() ? 'a link' : 'a device'
}

/** Opens a plain file to be read; null: it is none, and was not waited for. Throws what the file system throws. */
export function openPlain(file: string): number | null {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  return null
}
