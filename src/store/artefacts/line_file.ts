/** Append-only files of one JSON value per line: a lost or cut-off line does not damage the others. */
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type * as z from 'zod'
import { attempt, isErrno } from '../../base/errors/attempt.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { assertRegularFile } from '../../base/fs/special_files.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { OnDamage } from './damage.ts'

/** All readable lines in order; empty when the file is missing. Reports and skips an unreadable line, or a folder in place of the file. */
export function readReadableLines<S extends z.ZodType>(schema: S, file: string, onDamage: OnDamage): z.infer<S>[] {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) return []
  if (info.isDirectory()) {
    onDamage({ file, message: `${file}: is a folder, not a file` })
    return []
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    if (text.trim() === '') return []
    try {
      return [checkAs(schema, parseJson(text, file, index + 1), `${file}:${index + 1}`)]
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      onDamage({ file, message: errorMessage(error) })
      return []
    }
  })
}

/** Throws UserError for a link, which in a third-party folder may lead anywhere, and for anything else that is not a file. */
export function assertNotLink(file: string): void {
  const info = lstatSync(file, { throwIfNoEntry: false })
  if (info === undefined || info.isFile()) return
  if (info.isDirectory()) throw new UserError(`${file}: expected a file, found a folder`, 'remove it')
  if (!info.isSymbolicLink()) assertRegularFile(file, info)
  throw new UserError(`${file}: expected a file, found a symbolic link`, 'replace the link with the file')
}

/** The text to append for one more line; after a cut-off line it starts a new one. Throws UserError for a link. */
export function nextLine(file: string, value: unknown): string {
  assertNotLink(file)
  return `${endsWhole(file) ? '' : '\n'}${jsonText(value)}\n`
}

const lineEnd = 0x0a

/** Whether the file is missing, empty or ends with a line end. */
function endsWhole(file: string): boolean {
  const handle = attempt(() => openSync(file, 'r'), null, isErrno('ENOENT'))
  if (handle === null) return true
  try {
    const last = Buffer.alloc(1, lineEnd)
    readSync(handle, last, 0, 1, Math.max(0, fstatSync(handle).size - 1))
    return last[0] === lineEnd
  } finally {
    closeSync(handle)
  }
}
