/** The fields that Whetstone adds to a case. They are ours, so a mistake in them is an error, never forgiven. */
import { posix } from 'node:path'
import { jsonpath } from 'json-p3'
import type { z } from 'zod'
import { check } from '../../../../../schemas/check.ts'
import { evalCase, type SandboxSettings, sandboxSettings } from '../../../../../schemas/evals.ts'
import { messageOf, UserError } from '../../../../base/error.ts'
import { jsonPath } from '../../../../base/json.ts'
import type { SuiteMistake } from '../../inspected.ts'
import type { CaseSource } from './document.ts'

const additions = evalCase
  .pick({
    eval_key: true,
    checks: true,
    reference: true,
    turns: true,
    timeout: true,
    setup: true,
    git: true,
    environment: true,
  })
  .strip()

export type Additions = z.infer<typeof additions>
export const additionNames = Object.keys(additions.shape)

/** The additions of each case, in order, and every mistake in them; a case with a mistake has none. */
export function additionsOf(cases: readonly CaseSource[]): { additions: Additions[]; mistakes: SuiteMistake[] } {
  const mistakes: SuiteMistake[] = []
  const read = cases.map(({ object, at }) => {
    const given = Object.fromEntries(additionNames.map((name) => [name, object[name] ?? undefined]))
    const result = additions.safeParse(given)
    if (!result.success)
      mistakes.push(...result.error.issues.flatMap(clearest).map((issue) => mistakeAt(issue, at, given)))
    else mistakes.push(...badChecks(result.data, at))
    return result.success ? result.data : {}
  })
  return { additions: read, mistakes }
}

/** What the suite asks of the sandbox; a mistake in it is added to the list. */
export function sandboxOf(given: unknown, mistakes: SuiteMistake[]): SandboxSettings | undefined {
  const result = sandboxSettings.optional().safeParse(given)
  if (result.success) return result.data
  mistakes.push(...result.error.issues.map((issue) => mistakeAt(issue, '$.sandbox', given)))
  return undefined
}

const additionsFix =
  'these fields are Whetstone\'s own: docs/formats.md shows each; statements for a judge go to "expectations"'

/** Throws one UserError that lists up to five mistakes, where there are some. */
export function refuseMistakes(mistakes: readonly SuiteMistake[], file: string): void {
  if (mistakes.length === 0) return
  const more = mistakes.length > 5 ? ` (and ${mistakes.length - 5} more)` : ''
  const listed = mistakes.slice(0, 5).map(({ at, message }) => `${at}: ${message}`)
  throw new UserError(`${file}: ${listed.join('; ')}${more}`, additionsFix)
}

type Issue = z.core.$ZodIssue

/** Of a field that may be of several forms: what is wrong with the form that fits best. */
function clearest(issue: Issue): Issue[] {
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => ({ ...inner, path: issue.path }))
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const depth = (issues: readonly Issue[]) => Math.max(...issues.map(({ path }) => path.length))
  const [best = []] = [...issue.errors].sort((a, b) => depth(b) - depth(a))
  if (depth(best) === 0) return [issue]
  return best.flatMap((inner) => clearest({ ...inner, path: [...issue.path, ...inner.path] }))
}

function mistakeAt(issue: Issue, at: string, given: unknown): SuiteMistake {
  const place = `${at}${jsonPath(issue.path).slice(1)}`
  const isType = issue.path.at(-1) === 'type' && issue.path[0] === 'checks'
  if (!isType) return { at: place, message: issue.message }
  const name = JSON.stringify(valueAt(given, issue.path))
  return { at: place, message: `no check is called ${name}; known: ${checkTypes.join(', ')}` }
}

const checkTypes = check.options.map((option) => option.shape.type.value)

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === String(key))?.[1]
  }, value)
}

/** What the schema can't see, told before any run is paid for: patterns, queries and paths that can never be decided. */
function badChecks({ checks = [] }: Additions, at: string): SuiteMistake[] {
  return checks.flatMap((one, index) => {
    const found: [string, string | null][] = [
      ['pattern', one.type === 'regex' ? patternMistake(one.pattern, one.flags) : null],
      ['query', one.type === 'json_path' ? queryMistake(one.query) : null],
      ['path', 'path' in one && one.path !== undefined ? pathMistake(one.path) : null],
    ]
    return found.flatMap(([field, mistake]) =>
      mistake === null ? [] : [{ at: `${at}.checks[${index}].${field}`, message: mistake }],
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
