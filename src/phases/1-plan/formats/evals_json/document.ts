/** The whole document: where its list of cases is, and which skill it names. */
import { UserError } from '../../../../base/error.ts'
import type { Warn } from '../../warnings.ts'
import { type Fields, isObject, isText, notedIn, openFields, textIn, warnRest } from './fields.ts'
import { promptNames } from './names.ts'

/** One case as the file has it. */
export interface CaseSource {
  object: Record<string, unknown>
  /** JSON path. */
  at: string
  /** Fields of the whole file that nobody reads; absent: it has none. */
  noted?: Record<string, unknown>
}

export interface OpenDocument {
  cases: CaseSource[]
  /** null: the file names none. */
  skillName: string | null
  /** As written; undefined: there is none. */
  sandbox: unknown
}

/** Under these lies the list of cases. */
const listNames = ['evals', 'cases', 'test_cases', 'tests']
const fix = 'write { "skill_name": "…", "evals": [{ "id": 1, "prompt": "…", "expectations": ["…"] }] }'

/** Throws UserError for a document without cases. */
export function openDocument(document: unknown, file: string, warn: Warn): OpenDocument {
  if (Array.isArray(document)) {
    warn('$', 'a list at the top; it is read as "evals"')
    return { cases: casesOf({ list: document, at: '$' }, file, warn), skillName: null, sandbox: undefined }
  }
  if (!isObject(document)) throw new UserError(`${file}: holds ${kindOf(document)}, not an object with cases`, fix)
  const fields = openFields(document, '$')
  const found = listOf(fields, file, warn)
  const skillName = skillNameOf(fields, warn)
  const environment = fields.take(['environment'])?.value
  const sandbox = fields.take(['sandbox'])?.value
  const rubric = fields.take(['rubric'], (value) => isObject(value) && 'dimensions' in value)?.value
  warnRest(fields, { what: 'the file', warn })
  const noted = notedIn(fields)
  const cases = casesOf(found, file, warn)
  const shared = { ...(environment !== undefined && { environment }), ...(rubric !== undefined && { rubric }) }
  const around = Object.keys(noted).length > 0 && { noted }
  return {
    cases: cases.map(({ object, at }) => ({ object: { ...shared, ...withoutNulls(object) }, at, ...around })),
    skillName,
    sandbox,
  }
}

/** `null` is the same as absent: it takes nothing of the file's own away. */
function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}

/** Whether a document is meant to hold cases, and not just any list: they are objects under a known name, or have a `prompt`. */
export function isMeantAsCases(document: unknown): boolean {
  if (Array.isArray(document)) return document.some(isAsking)
  if (!isObject(document)) return false
  const fields = openFields(document, '$')
  const named = fields.take(listNames, (value) => isObject(value) || (Array.isArray(value) && !value.some(isText)))
  return named !== null || fields.rest().some(({ value }) => Array.isArray(value) && value.some(isAsking))
}

function isAsking(item: unknown): boolean {
  return isObject(item) && 'prompt' in item
}

interface List {
  list: unknown[]
  at: string
}

function listOf(fields: Fields, file: string, warn: Warn): List {
  for (const name of listNames) {
    const taken = fields.take([name])
    if (taken === null) continue
    const { key, value, at } = taken
    if (!Array.isArray(value)) throw new UserError(`${file}: ${at} holds ${kindOf(value)}, not a list of cases`, fix)
    if (key !== 'evals') warn(at, `"${key}" is read as "evals"`)
    return { list: value, at }
  }
  return onlyListOfPrompts(fields, file, warn)
}

/** Under a name that is not known: the one list whose items have prompts. */
function onlyListOfPrompts(fields: Fields, file: string, warn: Warn): List {
  const likely = fields.rest().filter(({ value }) => Array.isArray(value) && value.length > 0 && value.every(hasPrompt))
  const [only] = likely
  if (only !== undefined && likely.length === 1 && Array.isArray(only.value)) {
    fields.take([only.key])
    warn(only.at, `"${only.key}" is read as "evals", the only list with prompts`)
    return { list: only.value, at: only.at }
  }
  const found = fields.rest().map(({ key }) => key)
  const several = likely.length > 1 ? `; ${likely.map(({ key }) => key).join(' and ')} could be it` : ''
  throw new UserError(
    `${file}: has no list "evals" (found ${found.slice(0, 8).join(', ') || 'no field'})${several}`,
    fix,
  )
}

function hasPrompt(item: unknown): boolean {
  return isObject(item) && openFields(item, '').take(promptNames, isText) !== null
}

function casesOf({ list, at }: List, file: string, warn: Warn): CaseSource[] {
  const cases = list.flatMap((item: unknown, index): CaseSource[] => {
    const place = `${at}[${index}]`
    if (isObject(item)) return [{ object: item, at: place }]
    const prompt = textIn(item)
    warn(place, prompt === null ? `${kindOf(item)}, not a case; it is skipped` : 'plain text; it is read as a prompt')
    return prompt === null ? [] : [{ object: { prompt }, at: place }]
  })
  if (cases.length > 0) return cases
  const why = list.length === 0 ? `${at} is an empty list` : `${at} holds no case, only ${kindOf(list[0])}`
  throw new UserError(`${file}: ${why}`, fix)
}

function skillNameOf(fields: Fields, warn: Warn): string | null {
  for (const name of ['skill_name', 'skill', 'name']) {
    const taken = fields.take([name])
    const text = textIn(taken?.value)
    if (taken === null) continue
    if (text === null) warn(taken.at, `${kindOf(taken.value)}, not a skill's name; it is not read`)
    else if (name !== 'skill_name') warn(taken.at, `"${taken.key}" is read as "skill_name"`)
    if (text !== null) return text
  }
  return null
}

/** What a JSON value is, for messages. */
export function kindOf(value: unknown): string {
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
