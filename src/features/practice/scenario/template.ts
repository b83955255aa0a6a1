/** Templates of a scenario: handlebars, strict and unescaped, with a few helpers of its own. */
import Handlebars from 'handlebars'
import * as z from 'zod'
import { errorMessage } from '../../../base/errors/error.ts'
import { quoteWord } from '../../../base/package_root.ts'
import { allMatches, compilePattern, type HelperName, matchText } from './pattern.ts'

export interface Template {
  source: string
  /** Throws for an unknown name. */
  fill(variables: Readonly<Record<string, unknown>>): string
}

type Helper = (...args: unknown[]) => string

const helpers: Readonly<Record<HelperName, Helper>> = {
  json: (value) => JSON.stringify(value) ?? 'null',
  trim: (text) => String(text).trim(),
  /** nthLine 1 text: the first; nthLine -1 text: the last */
  nthLine: (number, text) => {
    const lines = String(text).trimEnd().split('\n')
    return lines.at(Number(number) > 0 ? Number(number) - 1 : Number(number)) ?? ''
  },
  /** The regex's first group, or the whole match; `otherwise` without a match. */
  find: (regex, text, otherwise = '') => findNthMatch(0, [regex, text, otherwise]),
  findLast: (regex, text, otherwise = '') => findNthMatch(-1, [regex, text, otherwise]),
  replace: (regex, by, text) => String(text).replace(compilePattern(String(regex), 'g'), String(by)),
  /** Quotes one word for a POSIX shell. */
  quote: (text) => quoteWord(String(text)),
}

function findNthMatch(index: number, [regex, text, otherwise]: readonly unknown[]): string {
  const match = allMatches(compilePattern(String(regex)), String(text)).at(index)
  return match ? matchText(match) : String(otherwise)
}

const engine = Handlebars.create()
for (const [name, helper] of Object.entries(helpers)) {
  engine.registerHelper(name, (...args: unknown[]) => helper(...args.slice(0, -1)))
}
const options = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: Object.fromEntries(Object.keys(helpers).map((name) => [name, true])),
}

/** A template as written in a scenario; its syntax is checked on parsing. */
export const templateSchema = z.string({ error: 'must be a text' }).transform((source, context): Template => {
  try {
    engine.precompile(source, options)
    return { source, fill: engine.compile(source, options) }
  } catch (error) {
    const message = `not a template: ${errorMessage(error).replace(/\s*\n\s*/g, ' ')}`
    context.issues.push({ code: 'custom', message, input: source })
    return z.NEVER
  }
})
