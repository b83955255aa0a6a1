/** Errors and warnings for people: `error: what (where)`, then `hint: one action`; with --json also an object. Each has an exit code and a fix. */
import path from 'node:path'
import type { LoadWarning } from '../../schemas/suite.ts'
import { attempt } from '../base/errors/attempt.ts'
import { errnoCode, errorMessage, IncompleteError, UserError } from '../base/errors/error.ts'
import { jsonText } from '../base/json/json_text.ts'
import { exitCodes } from './exit_codes.ts'
import { adaptText } from './help/installed_text.ts'
import { InterruptedError, type ResumeWay, resumeHint } from './terminal/interrupt.ts'
import { colours, toSafeLine } from './terminal/style.ts'

interface ErrorView {
  json: boolean
  goesOn: ResumeWay
  /** The resume command; null or absent: none. */
  resume?: string | null
}

export function sayError(error: unknown, { json, goesOn, resume = null }: ErrorView): number {
  const exit_code = toExitCode(error)
  const given = findErrorFix(error)
  const fix = given === null ? null : resumeHint(given, goesOn)
  if (json) {
    const name = errnoCode(error)
    const line = {
      type: 'error',
      exit_code,
      ...(name !== null && { code: name }),
      message: errorMessage(error),
      fix,
      ...(resume !== null && { resume }),
    }
    process.stdout.write(`${jsonText(line)}\n`)
  }
  const { red } = colours(process.stderr)
  const lines = [
    ...errorLines(errorMessage(error), fix, red),
    ...(resume === null ? [] : [`      ${toSafeLine(resume)}`]),
  ]
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
  return exit_code
}

/** The lines of an error; `mark` colours its first word. Paths in the working directory are relative to it. */
export function errorLines(message: string, fix: string | null, mark = (word: string) => word): string[] {
  const [first, ...more] = message.split('\n').map((line) => withPlaceLast(adaptText(shortenPaths(toSafeLine(line)))))
  return [
    `${mark('error:')} ${first}`,
    ...more,
    ...(fix === null ? [] : [`hint: ${adaptText(shortenPaths(toSafeLine(fix)))}`]),
  ]
}

function shortenPaths(line: string): string {
  const root = attempt(() => process.cwd(), null) // null: it was deleted
  if (root === null || root === path.parse(root).root) return line
  const start = root + path.sep
  return line
    .split(start)
    .reduce((before, after) => `${before}${/(?:^|[\s"'(])$/.test(before) && after !== '' ? '' : start}${after}`)
}

/** A warning, and below it what the user can do. */
export function warningLines({ file, at, message, fix }: LoadWarning): string[] {
  const place = at === '$' ? '' : at // of the whole file
  const line = `warning: ${message} (${[file, place].filter(Boolean).join(' ')})`
  return fix === undefined ? [line] : [line, `         ${adaptText(fix)}`]
}

/**
 * "a/b.json:3: not valid" as "not valid (a/b.json:3)", and "a: no such folder" as 'no such folder "a"'; a message that does not start with a
 * path, or ends in a colon, stays as it is.
 */
function withPlaceLast(message: string): string {
  const [, missing, nothing] =
    /^(\.{0,2}\/[^:"]+|[^\s:"-][^\s:"]*): (no such (?:file|folder|file or folder))$/.exec(message) ?? []
  if (missing !== undefined) return `${nothing} "${missing}"`
  const [, place, what] = /^((?:\.{0,2}\/[^:]+|[^\s:]*[./][^\s:]*)(?::\d+){0,2}): (.*[^:\s])$/.exec(message) ?? []
  return place === undefined ? message : `${what} (${place})`
}

const elsewhere = 'choose a place that can be written to: --workspace, or TMPDIR for the temporary folder'
const free = 'free some space (df -h); then continue with the same command; what was finished is kept'
const limits = 'this user or machine has reached a limit (ulimit -a): raise it, or lower --concurrency'
const inTheWay = 'a file is in the place of a folder, or a folder in the place of a file: move it away'

/** System errors that are not bugs, with the exit code and the fix: an unusable path, or a resource shortage. */
const systemErrors: Readonly<Record<string, readonly [exit: number, fix: string | null]>> = {
  EACCES: [exitCodes.usage, elsewhere],
  EPERM: [exitCodes.usage, elsewhere],
  EROFS: [exitCodes.usage, elsewhere],
  ENAMETOOLONG: [exitCodes.usage, null],
  EISDIR: [exitCodes.usage, inTheWay],
  ENOTDIR: [exitCodes.usage, inTheWay],
  ENOSPC: [exitCodes.incomplete, free],
  EDQUOT: [exitCodes.incomplete, free],
  EFBIG: [exitCodes.incomplete, free],
  EIO: [exitCodes.incomplete, null],
  EMFILE: [exitCodes.incomplete, limits],
  ENFILE: [exitCodes.incomplete, limits],
  EAGAIN: [exitCodes.incomplete, limits],
  ENOMEM: [exitCodes.incomplete, limits],
}

export function findErrorFix(error: unknown): string | null {
  if (error instanceof Error && 'fix' in error && typeof error.fix === 'string') return error.fix
  return systemErrors[errnoCode(error) ?? '']?.[1] ?? null
}

export function toExitCode(error: unknown): number {
  if (error instanceof InterruptedError) return exitCodes.interrupted
  if (error instanceof UserError) return exitCodes.usage
  const [exit] = systemErrors[errnoCode(error) ?? ''] ?? []
  return exit ?? (error instanceof IncompleteError ? exitCodes.incomplete : exitCodes.bug)
}
