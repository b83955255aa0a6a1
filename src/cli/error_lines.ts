/** Formats errors and warnings for people: `error: what (where)`, then `hint: one action`. */
import path from 'node:path'
import type { LoadWarning } from '../../schemas/suite.ts'
import { adaptText } from './help/installed_text.ts'
import { toSafeLine } from './terminal/style.ts'

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
  const root = currentFolder()
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

/** null: it was deleted. */
function currentFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
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
