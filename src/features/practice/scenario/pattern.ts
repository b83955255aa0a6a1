/** Regular expressions of a scenario: `^` and `$` match at lines; a leading (?i) or (?s) sets flags. */
import * as z from 'zod'
import { errorMessage } from '../../../base/errors/error.ts'

/** Names of template helpers. A named group must not use one, because the helper would win. */
const helperNames = ['json', 'trim', 'nthLine', 'find', 'findLast', 'replace', 'quote'] as const
export type HelperName = (typeof helperNames)[number]

/** Compiles a pattern; throws SyntaxError when it is invalid. */
export function compilePattern(source: string, more = ''): RegExp {
  const [, flags = '', body = ''] = /^(?:\(\?([is]+)\))?([\s\S]*)$/.exec(source) ?? []
  return new RegExp(body, [...new Set(`m${flags}${more}`)].join(''))
}

export const patternSchema = z.string({ error: 'must be a regular expression' }).transform((source, context) => {
  try {
    const taken = helperNames.find((name) => source.includes(`(?<${name}>`))
    if (taken !== undefined) throw new Error(`"${taken}" is the name of a template helper: use another group name`)
    return compilePattern(source)
  } catch (error) {
    context.issues.push({ code: 'custom', message: errorMessage(error), input: source })
    return z.NEVER
  }
})

/** The named groups of a match; a group that did not participate is the empty text. */
export function namedGroups(match: RegExpExecArray): Record<string, string> {
  return Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, text]) => [name, text ?? '']))
}

export function allMatches(regex: RegExp, text: string): RegExpExecArray[] {
  return [...text.matchAll(new RegExp(regex.source, `${regex.flags}g`))]
}

/** The text of a match: its first group if it has one, else the whole. */
export function matchText(match: RegExpExecArray): string {
  return match[1] ?? match[0]
}
