/** The fields that Whetstone adds to a case. They are ours, so a mistake in them is an error, never forgiven. */
import type { z } from 'zod'
import { type Check, check } from '../../../../../schemas/check.ts'
import { evalCase, type SandboxSettings, sandboxSettings } from '../../../../../schemas/evals.ts'
import { UserError } from '../../../../base/error.ts'
import { jsonPath } from '../../../../base/json.ts'
import type { SuiteMistake } from '../../inspected.ts'
import type { Warn } from '../../warnings.ts'
import { withFile } from '../check_files.ts'
import { checkMistakes } from '../check_mistakes.ts'
import type { CaseSource } from './document.ts'
import { isObject } from './fields.ts'
import { issueWords } from './issue_words.ts'

const additions = evalCase
  .pick({
    eval_key: true,
    checks: true,
    rubric: true,
    reference: true,
    turns: true,
    timeout: true,
    setup: true,
    git: true,
    environment: true,
  })
  .strip()

export type Additions = z.infer<typeof additions>
export const additionNames: readonly string[] = Object.keys(additions.shape)

/** The additions of each case, in order, and every mistake in them; a case with a mistake has none. `root` is the skill's folder. */
export async function additionsOf(
  cases: readonly CaseSource[],
  { root, warn }: { root: string; warn: Warn },
): Promise<{ additions: Additions[]; mistakes: SuiteMistake[] }> {
  const mistakes: SuiteMistake[] = []
  const read: Additions[] = []
  for (const { object, at } of cases) {
    const given = Object.fromEntries(additionNames.map((name) => [name, ownField(name, object[name])]))
    const places = placesOf(given.checks)
    for (const place of places.skipped) warn(`${at}.checks[${place}]`, 'null, not a check; it is skipped')
    const result = additions.safeParse({ ...given, checks: places.checks })
    if (!result.success) {
      const issues = result.error.issues.flatMap(clearest).map((issue) => inFile(issue, places.kept))
      mistakes.push(...issues.map((issue) => mistakeAt(issue, at, given)))
      read.push({})
      continue
    }
    const own = await checksOf(result.data.checks ?? [], { at, root, kept: places.kept })
    mistakes.push(...own.mistakes)
    read.push(result.data.checks === undefined ? result.data : { ...result.data, checks: own.checks })
  }
  return { additions: read, mistakes }
}

/** The value, where it is ours to read: `rubric` is also a name that authors give to a list of statements. */
function ownField(name: string, value: unknown): unknown {
  return isOwnField(name, value) ? (value ?? undefined) : undefined
}

export function isOwnField(name: string, value: unknown): boolean {
  if (name !== 'rubric') return additionNames.includes(name)
  return value === false || (isObject(value) && 'dimensions' in value)
}

/** The checks that are not `null`, and where in the list each of both kinds stands. */
function placesOf(checks: unknown): { checks: unknown; kept: number[]; skipped: number[] } {
  if (!Array.isArray(checks)) return { checks, kept: [], skipped: [] }
  const all = [...checks.keys()]
  return {
    checks: checks.filter((one: unknown) => one !== null),
    kept: all.filter((place) => checks[place] !== null),
    skipped: all.filter((place) => checks[place] === null),
  }
}

/** With the check's place in the file. */
function inFile(issue: Issue, kept: readonly number[]): Issue {
  const [name, index, ...rest] = issue.path
  if (name !== 'checks' || typeof index !== 'number') return issue
  return { ...issue, path: [name, kept[index] ?? index, ...rest] }
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
  if (!isType) return { at: place, message: issueWords(issue, valueAt(given, issue.path)) }
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

/** The checks of a case with the files that they name read, and what else is wrong with them. */
async function checksOf(
  checks: readonly Check[],
  { at, root, kept }: { at: string; root: string; kept: readonly number[] },
) {
  const mistakes: SuiteMistake[] = []
  const read: Check[] = []
  for (const [index, one] of checks.entries()) {
    const place = `${at}.checks[${kept[index] ?? index}]`
    const whole = await withFile(one, root)
    if ('mistake' in whole) {
      mistakes.push({ at: `${place}.file`, message: whole.mistake })
      continue
    }
    read.push(whole.check)
    const found = await checkMistakes(whole.check)
    mistakes.push(...found.map(({ field, message }) => ({ at: `${place}.${field}`, message })))
  }
  return { checks: read, mistakes }
}
