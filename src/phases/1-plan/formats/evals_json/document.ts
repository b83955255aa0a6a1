/** Reads the whole document: the list of its cases and the skill that it names. */
import { UserError } from '../../../../base/errors/error.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import {
  collectUnreadFields,
  criteriaNames,
  type FieldReader,
  isJsonObject,
  isText,
  openFieldReader,
  outputNames,
  promptNames,
  readNonEmptyText,
  switchNames,
  takeMisspelt,
  warnRest,
} from './fields.ts'
import { caseListNames, flattenSuites } from './nested_suites.ts'
import { chooseSharedOwners, isOwnerValue } from './upkeep.ts'

export interface CaseSource {
  object: Record<string, unknown>
  /** JSON path. */
  at: string
  /** Unknown fields of the whole file; absent: none. */
  noted?: Record<string, unknown>
}

export interface OpenDocument {
  cases: CaseSource[]
  skillName: string | null
  /** As written; undefined: not given. */
  sandbox: unknown
  mistakes: SuiteMistake[]
}

/** Fields of the file that apply to each case, in the file's own form. */
const sharedNames = ['environment', 'setup', 'teardown', 'env', ...switchNames]
const allSharedNames = ['environment', 'sandbox', 'rubric', 'setup', 'teardown', 'owner', 'owners']

const fix = 'write { "skill_name": "…", "evals": [{ "id": 1, "prompt": "…", "expectations": ["…"] }] }'

/** The warning about a list without a name. */
export const readAsList = 'a list at the top; it is read as "evals"'

/** Throws UserError for a document without cases. */
export function openDocument(whole: unknown, file: string, warn: Warn): OpenDocument {
  const { document, places } = flattenSuites(whole, warn)
  if (Array.isArray(document)) {
    warn('$', readAsList)
    return withoutFile(toCaseSources({ list: document, at: '$' }, file, warn))
  }
  if (!isJsonObject(document))
    throw new UserError(`${file}: expected an object with cases, found ${describeJsonKind(document)}`, fix)
  if (isSingleCase(document)) {
    warn('$', 'one case without a list; it is read as the only one of "evals"')
    return withoutFile([{ object: document, at: '$' }])
  }
  const fields = openFieldReader(document, '$')
  const found = findCaseList(fields, file, warn)
  const skillName = readSkillNameField(fields, warn)
  const given = sharedNames.flatMap((name) => {
    const taken = fields.take([name])
    return taken === null ? [] : [[name, taken.value] as const]
  })
  const sandbox = fields.take(['sandbox'])?.value
  const rubric = fields.take(['rubric'], (value) => isJsonObject(value) && 'dimensions' in value)?.value
  const owner = fields.take(['owner'], isOwnerValue)?.value
  const owners = fields.take(['owners'], isOwnerValue)?.value
  const mistakes = takeMisspelt(fields, allSharedNames).map((message) => ({ at: '$', message }))
  warnRest(fields, { what: 'the file', warn })
  const noted = collectUnreadFields(fields)
  const cases = toCaseSources({ ...found, places }, file, warn)
  const shared = { ...Object.fromEntries(given), ...(rubric !== undefined && { rubric }) }
  const named = { ...(owner !== undefined && { owner }), ...(owners !== undefined && { owners }) }
  const around = Object.keys(noted).length > 0 && { noted }
  return {
    cases: cases.map(({ object, at }) => {
      const own = withoutNulls(object)
      return { object: { ...shared, ...chooseSharedOwners(named, own), ...own }, at, ...around }
    }),
    skillName,
    sandbox,
    mistakes,
  }
}

function withoutFile(cases: CaseSource[]): OpenDocument {
  return { cases, skillName: null, sandbox: undefined, mistakes: [] }
}

/** `null` counts as absent, so that it does not override the file's own value. */
function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}

/** Whether a document contains cases rather than any list: objects under a known name, or with a `prompt`. */
export function isCaseDocument(given: unknown): boolean {
  const { document } = flattenSuites(given)
  if (Array.isArray(document)) return document.some(isAsking)
  if (!isJsonObject(document)) return false
  const fields = openFieldReader(document, '$')
  const named = fields.take(
    caseListNames,
    (value) => isJsonObject(value) || (Array.isArray(value) && !value.some(isText)),
  )
  return (
    named !== null ||
    fields.rest().some(({ key, value }) => !notCases.test(key) && Array.isArray(value) && value.some(isAsking))
  )
}

function isAsking(item: unknown): boolean {
  return isJsonObject(item) && 'prompt' in item
}

/** A prompt with what judges it, at the top of the file, and no list of cases. */
export function isSingleCase(document: unknown): document is Record<string, unknown> {
  if (!isJsonObject(document)) return false
  const fields = openFieldReader(document, '$')
  const hasList = fields.take(caseListNames) !== null || fields.rest().some(({ value }) => isListOfPrompts(value))
  return !hasList && hasPrompt(document) && fields.take([...criteriaNames, ...outputNames]) !== null
}

function isListOfPrompts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(hasPrompt)
}

interface List {
  list: unknown[]
  at: string
  /** The JSON path of each item, if it differs from its place in the list. */
  places?: readonly string[] | null
}

function findCaseList(fields: FieldReader, file: string, warn: Warn): List {
  for (const name of caseListNames) {
    const taken = fields.take([name])
    if (taken === null) continue
    const { key, value, at } = taken
    if (!Array.isArray(value))
      throw new UserError(`${file}: ${at} holds ${describeJsonKind(value)}, not a list of cases`, fix)
    if (key !== 'evals') warn(at, `"${key}" is read as "evals"`)
    return { list: value, at }
  }
  return onlyListOfPrompts(fields, file, warn)
}

/** Lists whose prompts are for others than the agent, or for several. */
const notCases = /^(?:judges?|graders?|agents?|models?|matrix)$/i

/** Under an unknown name: the only list whose items have prompts. */
function onlyListOfPrompts(fields: FieldReader, file: string, warn: Warn): List {
  const likely = fields.rest().filter(({ key, value }) => !notCases.test(key) && isListOfPrompts(value))
  const [only] = likely
  if (only !== undefined && likely.length === 1 && Array.isArray(only.value)) {
    fields.take([only.key])
    warn(only.at, `"${only.key}" is read as "evals", the only list with prompts`)
    return { list: only.value, at: only.at }
  }
  const found = fields.rest().map(({ key }) => key)
  const several = likely.length > 1 ? `; ${likely.map(({ key }) => key).join(' and ')} could be it` : ''
  throw new UserError(`${file}: no list "evals" (found ${found.slice(0, 8).join(', ') || 'no field'})${several}`, fix)
}

function hasPrompt(item: unknown): boolean {
  return isJsonObject(item) && openFieldReader(item, '').take(promptNames, isText) !== null
}

function toCaseSources({ list, at, places }: List, file: string, warn: Warn): CaseSource[] {
  const cases = list.flatMap((item: unknown, index): CaseSource[] => {
    const place = places?.[index] ?? `${at}[${index}]`
    if (isJsonObject(item)) return [{ object: item, at: place }]
    const prompt = readNonEmptyText(item)
    warn(
      place,
      prompt === null ? `${describeJsonKind(item)}, not a case; it is skipped` : 'plain text; it is read as a prompt',
    )
    return prompt === null ? [] : [{ object: { prompt }, at: place }]
  })
  if (cases.length > 0) return cases
  const why = list.length === 0 ? `${at} is an empty list` : `${at} holds no case, only ${describeJsonKind(list[0])}`
  throw new UserError(`${file}: ${why}`, fix)
}

function readSkillNameField(fields: FieldReader, warn: Warn): string | null {
  for (const name of ['skill_name', 'skill', 'name']) {
    const taken = fields.take([name])
    const text = readNonEmptyText(taken?.value)
    if (taken === null) continue
    if (text === null) warn(taken.at, `${describeJsonKind(taken.value)}, not a skill's name; it is not read`)
    else if (name !== 'skill_name') warn(taken.at, `"${taken.key}" is read as "skill_name"`)
    if (text !== null) return text
  }
  return null
}

export function describeJsonKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  switch (typeof value) {
    case 'object':
      return 'an object'
    case 'string':
      return value.trim() === '' ? 'empty text' : 'text'
    default:
      return `a ${typeof value}`
  }
}
