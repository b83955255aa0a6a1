/** Files of one JSON value a line that are appended to and never rewritten: one line that is lost or was cut off takes no other with it. */
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type { z } from 'zod'
import { codeOf, messageOf, UserError } from '../base/error.ts'
import { checkAs, parseJson } from '../base/json.ts'
import { refuseOdd } from '../base/plain_file.ts'
import type { OnDamage } from './damage.ts'

/** All that can be read, in their order; none where the file is missing. A line that can't be, or a folder in its place, is told and passed over. */
export function readableLines<S extends z.ZodType>(schema: S, file: string, onDamage: OnDamage): z.infer<S>[] {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) return []
  if (info.isDirectory()) {
    onDamage({ file, message: `${file}: is a folder, no file` })
    return []
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    if (text.trim() === '') return []
    try {
      return [checkAs(schema, parseJson(text, file, index + 1), `${file}:${index + 1}`)]
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      onDamage({ file, message: messageOf(error) })
      return []
    }
  })
}

/** Throws UserError where it is a link, which in a folder from elsewhere may lead to any file of this machine's, or no file at all. */
export function refuseLink(file: string): void {
  const info = lstatSync(file, { throwIfNoEntry: false })
  if (info === undefined || info.isFile()) return
  if (info.isDirectory()) throw new UserError(`${file} is a folder, no file`, 'take it away')
  if (!info.isSymbolicLink()) refuseOdd(file, info)
  throw new UserError(`${file} is a link: what is noted would be written elsewhere`, 'put the file itself there')
}

/** What is to be appended for one more line: after one that was cut off it begins a new one. Throws UserError for a link. */
export function nextLine(file: string, value: unknown): string {
  refuseLink(file)
  return `${endsWhole(file) ? '' : '\n'}${JSON.stringify(value)}\n`
}

const lineEnd = 0x0a

/** Whether it is missing, empty or ends with a line end. */
function endsWhole(file: string): boolean {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    throw error
  }
  try {
    const last = Buffer.alloc(1, lineEnd)
    readSync(handle, last, 0, 1, Math.max(0, fstatSync(handle).size - 1))
    return last[0] === lineEnd
  } finally {
    closeSync(handle)
  }
}
