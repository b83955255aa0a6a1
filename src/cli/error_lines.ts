/** Formats errors and warnings for people: `error: what (where)`, then `hint: one action`. */
import type { LoadWarning } from '../../schemas/suite.ts'
import { toSafeLine } from './terminal/style.ts'

/** The lines of an error; `mark` colours its first word. */
export function errorLines(message: string, fix: string | null, mark = (word: string) => word): string[] {
  const [first, ...more] = message.split('\n').map((line) => withPlaceLast(toSafeLine(line)))
  return [`${mark('error:')} ${first}`, ...more, ...(fix === null ? [] : [`hint: ${toSafeLine(fix)}`])]
}

/** A warning, and below it what the user can do. */
export function warningLines({ file, at, message, fix }: LoadWarning): string[] {
  const line = `warning: ${message} (${[file, at].filter(Boolean).join(' ')})`
  return fix === undefined ? [line] : [line, `         ${fix}`]
}

/** "a/b.json:3: not valid" as "not valid (a/b.json:3)"; a message that does not start with a path, or ends in a colon, stays as it is. */
function withPlaceLast(message: string): string {
  const [, place, what] = /^((?:\.{0,2}\/[^:]+|[^\s:]*[./][^\s:]*)(?::\d+){0,2}): (.*[^:\s])$/.exec(message) ?? []
  return place === undefined ? message : `${what} (${place})`
}
