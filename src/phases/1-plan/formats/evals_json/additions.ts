/** Reads the fields that Whetstone adds to a case; a mistake in them is an error and is never tolerated. */
import type * as z from 'zod'
import { caseSplit } from '../../../../../schemas/case_upkeep.ts'
import { type Check, check } from '../../../../../schemas/check.ts'
import { evalCase, type SandboxSettings, sandboxSettings } from '../../../../../schemas/evals.ts'
import { formatJsonPath } from '../../../../base/json/json.ts'
import { findSystemPart } from '../../../../base/sandbox/system.ts'
import { suiteVariables } from '../../../../base/secrets/suite_variables.ts'
import { didYouMean, suggestChoice } from '../../../../base/text/did_you_mean.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { readBackslashPath, readOutputPath } from '../backslash_paths.ts'
import { resolveCheckFile } from '../check_files.ts'
import { findCheckMistakes } from '../check_mistakes.ts'
import { type CaseConversation, readCaseConversation } from '../conversation/case_conversation.ts'
import type { CaseSource } from './document.ts'
import { isJsonObject } from './fields.ts'
import { issueWords, lookUpValue } from './issue_words.ts'
import { isOwnerField, isOwnerValue } from './upkeep.ts'

const additions = evalCase
  .pick({
    eval_key: true,
    checks: true,
    rubric: true,
    reference: true,
    timeout: true,
    setup: true,
    teardown: true,
    env: true,
    collect: true,
    attach: true,
    git: true,
    repo: true,
    environment: true,
    owner: true,
    owners: true,
    quarantine: true,
    split: true,
  })
  .strip()

/** `conversation`: absent, the case has a mistake. */
export type CaseAdditions = z.infer<typeof additions> & { conversation?: CaseConversation }
export const additionNames: readonly string[] = Object.keys(additions.shape)

/** Returns each case's additions in order, and every mistake; a case with a mistake has none. `root` is the skill's folder. */
export async function readAdditions(
  cases: readonly CaseSource[],
  { root, warn }: { root: string; warn: Warn },
): Promise<{ additions: CaseAdditions[]; mistakes: SuiteMistake[] }> {
  const mistakes: SuiteMistake[] = []
  const read: CaseAdditions[] = []
  for (const { object, at } of cases) {
    const given = Object.fromEntries(additionNames.map((name) => [name, ownField(name, object[name])]))
    const places = splitNullChecks(given.checks)
    for (const place of places.skipped) warn(`${at}.checks[${place}]`, 'null, not a check; it is skipped')
    const checks = await readPathsOfChecks(places, { at, root, warn })
    const reference = readReferencePaths(given.reference, `${at}.reference`, warn)
    const { conversation, mistakes: ofConversation } = readCaseConversation(object, at, warn)
    mistakes.push(...ofConversation)
    const result = additions.safeParse({ ...given, reference, checks })
    if (!result.success) {
      const issues = result.error.issues
        .flatMap(findClearestIssues)
        .map((issue) => restoreCheckPlace(issue, places.kept))
      mistakes.push(...issues.map((issue) => toSuiteMistake(issue, at, given)))
      read.push({})
      continue
    }
    const own = await completeChecks(result.data.checks ?? [], { at, root, kept: places.kept })
    mistakes.push(...own.mistakes, ...findRefusedVariables(result.data.env, at))
    const checked = result.data.checks !== undefined && { checks: own.checks }
    read.push({ ...result.data, ...checked, conversation })
  }
  return { additions: read, mistakes }
}

function findRefusedVariables(env: CaseAdditions['env'], at: string): SuiteMistake[] {
  const texts = Object.entries(env ?? {}).map(([name, value]) => [name, String(value)] as const)
  return suiteVariables(Object.fromEntries(texts), 'any').refused.map((name) => ({
    at: `${at}.env.${name}`,
    message: 'a suite cannot set this variable: each run has its own value',
  }))
}

/** Reads `rubric` only in Whetstone's form, because authors also use that name for a list of statements. */
function ownField(name: string, value: unknown): unknown {
  return isOwnField(name, value) ? (value ?? undefined) : undefined
}

export function isOwnField(name: string, value: unknown): boolean {
  if (isOwnerField(name)) return isOwnerValue(value)
  if (name === 'split') return caseSplit.safeParse(value).success // others divide a suite into test and validation
  if (name !== 'rubric') return additionNames.includes(name)
  return value === false || (isJsonObject(value) && 'dimensions' in value)
}

/** Separates `null` entries from checks and keeps the list positions of both. */
function splitNullChecks(checks: unknown): { checks: unknown; kept: number[]; skipped: number[] } {
  if (!Array.isArray(checks)) return { checks, kept: [], skipped: [] }
  const all = [...checks.keys()]
  return {
    checks: checks.filter((one: unknown) => one !== null),
    kept: all.filter((place) => checks[place] !== null),
    skipped: all.filter((place) => checks[place] === null),
  }
}

async function readPathsOfChecks(
  { checks, kept }: { checks: unknown; kept: readonly number[] },
  { at, root, warn }: { at: string; root: string; warn: Warn },
): Promise<unknown> {
  if (!Array.isArray(checks)) return checks
  const read: unknown[] = []
  for (const [index, one] of checks.entries())
    read.push(await readCheckPaths(one, { at: `${at}.checks[${kept[index] ?? index}]`, root, warn }))
  return read
}

function restoreCheckPlace(issue: Issue, kept: readonly number[]): Issue {
  const [name, index, ...rest] = issue.path
  if (name !== 'checks' || typeof index !== 'number') return issue
  return { ...issue, path: [name, kept[index] ?? index, ...rest] }
}

/** Returns the sandbox settings of the suite and adds mistakes in them to the list. */
export function readSuiteSandbox(given: unknown, mistakes: SuiteMistake[]): SandboxSettings | undefined {
  const result = sandboxSettings.optional().safeParse(given)
  if (!result.success) {
    mistakes.push(...result.error.issues.map((issue) => toSuiteMistake(issue, '$.sandbox', given)))
    return undefined
  }
  for (const [index, folder] of (result.data?.writable ?? []).entries()) {
    const part = findSystemPart(folder)
    if (part === null) continue
    const message = `${JSON.stringify(folder)} would hide ${part} of the system from the agent; name another folder, such as /var/cache/tool`
    mistakes.push({ at: `$.sandbox.writable[${index}]`, message })
  }
  return result.data
}

type Issue = z.core.$ZodIssue

/** For a union of forms, returns the issues of the form that fits best. */
function findClearestIssues(issue: Issue): Issue[] {
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => ({ ...inner, path: issue.path }))
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  // several forms fit but for their unknown fields, such as "url" and "path" together: only the words for all forms are true
  const nearest = issue.errors.filter((issues) => issues.every(({ code }) => code === 'unrecognized_keys'))
  if (nearest.length > 1) return [issue]
  const depth = (issues: readonly Issue[]) => Math.max(...issues.map(({ path }) => path.length))
  const [best = []] = [...issue.errors].sort((a, b) => depth(b) - depth(a))
  if (depth(best) === 0) return [issue]
  return best.flatMap((inner) => findClearestIssues({ ...inner, path: [...issue.path, ...inner.path] }))
}

function toSuiteMistake(issue: Issue, at: string, given: unknown): SuiteMistake {
  const place = `${at}${formatJsonPath(issue.path).slice(1)}`
  const isType = issue.path.at(-1) === 'type' && issue.path[0] === 'checks'
  if (!isType) {
    const value = lookUpValue(given, issue.path)
    const hint = issue.code === 'unrecognized_keys' ? suggestCheckField(issue.keys, value) : ''
    return { at: place, message: `${issueWords(issue, value)}${hint}` }
  }
  const value = lookUpValue(given, issue.path)
  const hint = suggestChoice(typeof value === 'string' ? value : '', checkTypes)
  return { at: place, message: `unknown check type ${JSON.stringify(value)}; ${hint}` }
}

/** For an unknown field of a check: the nearest one, or else the required field that the check lacks. */
function suggestCheckField(keys: readonly string[], value: unknown): string {
  if (!isJsonObject(value)) return ''
  const shape = check.options.find((option) => option.shape.type.value === value.type)?.shape
  if (shape === undefined) return ''
  const isMissing = (name: string, field: z.ZodType) => !(name in value) && !field.safeParse(undefined).success
  const missing = Object.entries(shape).flatMap(([name, field]) => (isMissing(name, field) ? name : []))
  const [only, ...others] = missing
  const names = Object.keys(shape).filter((name) => !(name in value))
  const instead = only !== undefined && others.length === 0 ? `did you mean "${only}"?` : null
  return `; ${didYouMean(keys[0] ?? '', names, 1) ?? instead ?? `expected one of ${names.join(', ')}`}`
}

const checkTypes = check.options.map((option) => option.shape.type.value)

/** Loads the files that the checks of a case name, and finds other mistakes in them. */
async function completeChecks(
  checks: readonly Check[],
  { at, root, kept }: { at: string; root: string; kept: readonly number[] },
) {
  const mistakes: SuiteMistake[] = []
  const read: Check[] = []
  for (const [index, one] of checks.entries()) {
    const place = `${at}.checks[${kept[index] ?? index}]`
    const whole = await resolveCheckFile(one, root)
    if ('mistake' in whole) {
      mistakes.push({ at: `${place}.file`, message: whole.mistake })
      continue
    }
    read.push(whole.check)
    const found = await findCheckMistakes(whole.check)
    mistakes.push(...found.map(({ field, message }) => ({ at: `${place}.${field}`, message })))
  }
  return { checks: read, mistakes }
}

/** Reads the paths in a case's checks and its reference that were written on Windows, with backslashes. */
interface FieldPlace {
  /** JSON path. */
  at: string
  /** The skill's folder. */
  root: string
  warn: Warn
}

/** The same check with / in its paths; what is not an object stays as it is. */
async function readCheckPaths(check: unknown, { at, root, warn }: FieldPlace): Promise<unknown> {
  if (!isJsonObject(check)) return check
  const read = { ...check }
  for (const name of ['path', 'script']) {
    const given = check[name]
    if (typeof given === 'string') read[name] = readOutputPath({ path: given, at: `${at}.${name}` }, warn)
  }
  if (typeof check.file === 'string') {
    read.file = await readBackslashPath({ path: check.file, at: `${at}.file` }, [root], warn)
  }
  return read
}

function readReferencePaths(reference: unknown, at: string, warn: Warn): unknown {
  if (!isJsonObject(reference) || !isJsonObject(reference.files)) return reference
  const files = Object.entries(reference.files).map(([name, content]) => {
    return [readOutputPath({ path: name, at: `${at}.files` }, warn), content] as const
  })
  return { ...reference, files: Object.fromEntries(files) }
}
