/** Refuses pipes and devices among files from others: opening a pipe can wait forever, and a device may never end. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { UserError } from '../errors/error.ts'

/** What a special file is, in words; null: a plain file or a folder. */
export function specialFileKind(info: Stats): string | null {
  if (info.isFile() || info.isDirectory()) return null
  if (info.isFIFO()) return 'a pipe'
  if (info.isSocket()) return 'a socket'
  return info.isSymbolicLink() ? 'a link' : 'a device'
}

/** Throws UserError for a special file. Standard input and shell descriptors (/dev/fd/…) are allowed and read to their end. */
export function assertRegularFile(
  file: string,
  info: Stats | undefined = statSync(file, { throwIfNoEntry: false }),
): void {
  const odd = info === undefined || /^\/dev\/(?:stdin|fd\/\d+)$/.test(file) ? null : specialFileKind(info)
  if (odd !== null) throw new UserError(`${file}: expected a file, found ${odd}`, 'replace it with a regular file')
}

/** Opens a plain file for reading, without waiting for a pipe; null: not a plain file. Throws what the file system throws. */
export function openRegularFile(file: string): number | null {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  return null
}

/** The content of a plain file. Throws UserError for a pipe or a device, without waiting, and what the file system throws. */
export function readRegularFile(file: string): Buffer {
  const handle = openRegularFile(file)
  if (handle === null) {
    // a folder has an error of its own
    assertRegularFile(file)
    return readFileSync(file)
  }
  try {
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}
