/** What is no file, among what others made: whoever opens a pipe waits for its other end, for good, and a device may never end. */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'
import { UserError } from './error.ts'

/** What something is that is neither a file nor a folder, in words; null: it is one of them. */
export function oddKind(info: Stats): string | null {
  if (info.isFile() || info.isDirectory()) return null
  if (info.isFIFO()) return 'a pipe'
  if (info.isSocket()) return 'a socket'
  return info.isSymbolicLink() ? 'a link' : 'a device'
}

/** Throws UserError where something that is no file lies under this path. What a person hands over by the shell is read to its end. */
export function refuseOdd(file: string, info: Stats | undefined): void {
  const odd = info === undefined || /^\/dev\/(?:stdin|fd\/\d+)$/.test(file) ? null : oddKind(info)
  if (odd !== null) throw new UserError(`${file}: is ${odd}, no file`, 'put a plain file there')
}

/** Opens a plain file to be read; null: it is none, and was not waited for. Throws what the file system throws. */
export function openPlain(file: string): number | null {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  return null
}
