/** The fields that Whetstone adds to a case. They are ours, so a mistake in them is an error, never forgiven. */
import { posix } from 'node:path'
import { jsonpath } from 'json-p3'
import type { z } from 'zod'
import { check } from '../../../../../schemas/check.ts'
import { evalCase } from '../../../../../schemas/evals.ts'
import { messageOf, UserError } from '../../../../base/error.ts'
import { jsonPath } from '../../../../base/json.ts'
import type { CaseSource } from './document.ts'

const additions = evalCase
  .pick({ eval_key: true, checks: true, reference: true, turns: true, timeout: true, setup: true, git: true })
  .strip()

export type Additions = z.infer<typeof additions>
export const additionNames = Object.keys(additions.shape)

/** The additions of each case, in order. Throws one UserError that lists up to five mistakes. */
export function readAdditions(cases: readonly CaseSource[], file: string): Additions[] {
  const mistakes: string[] = []
  const read = cases.map(({ object, at }) => {
    const given = Object.fromEntries(additionNames.map((name) => [name, object[name] ?? undefined]))
    const result = additions.safeParse(given)
    if (!result.success) mistakes.push(...result.error.issues.map((issue) => messageAt(issue, at, given)))
    else mistakes.push(...badChecks(result.data, at))
    return result.success ? result.data : {}
  })
  if (mistakes.length === 0) return read
  const more = mistakes.length > 5 ? ` (and ${mistakes.length - 5} more)` : ''
  throw new UserError(
    `${file}: ${mistakes.slice(0, 5).join('; ')}${more}`,
    'these fields are Whetstone\'s own: docs/formats.md shows each; statements for a judge go to "expectations"',
  )
}

function messageAt(issue: z.core.$ZodIssue, at: string, given: unknown): string {
  const place = `${at}${jsonPath(issue.path).slice(1)}`
  const isType = issue.path.at(-1) === 'type' && issue.path[0] === 'checks'
  if (isType)
    return `${place}: no check is called ${JSON.stringify(valueAt(given, issue.path))}; known: ${checkTypes.join(', ')}`
  return `${place}: ${issue.message}`
}

const checkTypes = check.options.map((option) => option.shape.type.value)

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === String(key))?.[1]
  }, value)
}

/** What the schema can't see, told before any run is paid for: patterns, queries and paths that can never be decided. */
function badChecks({ checks = [] }: Additions, at: string): string[] {
  return checks.flatMap((one, index) => {
    const found: [string, string | null][] = [
      ['pattern', one.type === 'regex' ? patternMistake(one.pattern, one.flags) : null],
      ['query', one.type === 'json_path' ? queryMistake(one.query) : null],
      ['path', 'path' in one && one.path !== undefined ? pathMistake(one.path) : null],
    ]
    return found.flatMap(([field, mistake]) =>
      mistake === null ? [] : [`${at}.checks[${index}].${field}: ${mistake}`],
    )
  })
}

function queryMistake(query: string): string | null {
  try {
    jsonpath.compile(query)
    return null
  } catch (error) {
    return `not a JSONPath query (RFC 9535): ${messageOf(error)}`
  }
}

function pathMistake(wanted: string): string | null {
  const plain = posix.normalize(wanted)
  const leaves = posix.isAbsolute(plain) || plain === '..' || plain.startsWith('../')
  return leaves ? `${wanted} leads out of the working folder; paths of outputs are relative to it` : null
}

/** Why this is no JavaScript regular expression; null when it is one. */
export function patternMistake(pattern: string, flags = ''): string | null {
  try {
    new RegExp(pattern, flags)
    return null
  } catch (error) {
    return messageOf(error)
  }
}
