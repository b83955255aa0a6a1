/** Reads what a case is judged by: statements under many names and in many shapes, and checks among them. */
import type { Check } from '../../../../../schemas/check.ts'
import type { Expectation } from '../../../../../schemas/suite.ts'
import { canonicalJson } from '../../../../base/json/json.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { describeJsonKind } from './document.ts'
import {
  criteriaNames,
  type FieldReader,
  isBlank,
  isJsonObject,
  isText,
  openFieldReader,
  readNonEmptyText,
  statementNames,
  type TakenField,
  takeMisspelt,
  takeSwitches,
  takeText,
  warnRest,
} from './fields.ts'
import { readOtherCheck, takeOtherCriteria } from './other_assertions.ts'

export interface CaseCriteria {
  expectations: Expectation[]
  checks: Check[]
  /** Why the case cannot run: unreadable criteria. */
  reasons: string[]
}

type Criterion =
  | { kind: 'expectation'; expectation: Expectation; at: string }
  | { kind: 'check'; check: Check; at: string }

/** A value that cannot be read as a criterion. */
interface Unreadable {
  kind: 'unreadable'
  reason: string
}

/**
 * Reads every list of criteria. A duplicate counts once, as a check if either of the two is a check.
 * `deliverable`: why files are what the case asks for; null: the answer is.
 */
export function takeCriteria(fields: FieldReader, deliverable: string | null, warn: Warn): CaseCriteria {
  const lists = [...criteriaNames.map((name) => fields.take([name])), ...takeOtherCriteria(fields)]
  const found = lists.flatMap((taken) => (taken === null ? [] : readCriteriaList(taken, { deliverable, warn })))
  const once = dropRepeatedCriteria(
    found.filter((one) => one.kind !== 'unreadable'),
    warn,
  )
  return {
    expectations: once.flatMap((one) => (one.kind === 'expectation' ? [one.expectation] : [])),
    checks: once.flatMap((one) => (one.kind === 'check' ? [one.check] : [])),
    reasons: found.flatMap((one) => (one.kind === 'unreadable' ? [one.reason] : [])),
  }
}

const ownNames = new Set(['expectations', 'assertions'])

interface Reading {
  deliverable: string | null
  warn: Warn
}

function readCriteriaList({ key, value, at }: TakenField, reading: Reading): (Criterion | Unreadable)[] {
  const { warn } = reading
  if (!ownNames.has(key)) warn(at, `"${key}" is read as "expectations"`)
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => readCriterion(item, { key, at: `${at}[${index}]` }, reading))
  }
  if (isJsonObject(value) && isNamedStatements(value)) {
    warn(at, 'an object of texts; each is read as one criterion')
    return Object.entries(value).flatMap(([name, item]) => readCriterion(item, { key, at: `${at}.${name}` }, reading))
  }
  if (readNonEmptyText(value) !== null || isJsonObject(value)) {
    warn(at, `${describeJsonKind(value)}, not a list; it is read as one criterion`)
    return readCriterion(value, { key, at }, reading)
  }
  return readCriterion(value, { key, at }, reading)
}

/** `{ "short": "It is short", "right": "It is right" }`: names of the author's own, each with a statement. */
function isNamedStatements(value: Record<string, unknown>): boolean {
  const entries = Object.entries(value)
  const isOwnName = (name: string) => !statementNames.includes(name) && !checkNames.has(name)
  return entries.length > 1 && entries.every(([name, text]) => isOwnName(name) && isText(text))
}

/** Fields of one criterion, so that the object is not a list of several. */
const checkNames = new Set([
  'type',
  'id',
  'weight',
  'indicator',
  'expected',
  'path',
  'file',
  'target',
  'rubric',
  'criteria',
])

/** Empty text, null and `false` say nothing; a number, a list or `true` would be lost, so it is reported. */
function readCriterion(
  item: unknown,
  { key, at }: Pick<TakenField, 'key' | 'at'>,
  reading: Reading,
): (Criterion | Unreadable)[] {
  if (isJsonObject(item)) return objectCriterion(item, at, reading)
  const text = readNonEmptyText(item)
  if (text !== null) return [{ kind: 'expectation', expectation: { text }, at }]
  if (typeof item === 'number' || item === true || (Array.isArray(item) && item.length > 0)) {
    return [{ kind: 'unreadable', reason: `"${key}" holds ${describeJsonKind(item)}, not a statement` }]
  }
  reading.warn(at, `${describeJsonKind(item)}, not a criterion; it is skipped`)
  return []
}

function objectCriterion(item: Record<string, unknown>, at: string, reading: Reading): (Criterion | Unreadable)[] {
  const { warn, deliverable } = reading
  const [off] = takeSwitches(openFieldReader(item, at))
  if (off !== undefined) return [{ kind: 'unreadable', reason: `${at}: ${off}` }]
  const { value: indicator } = openFieldReader(item, at).take(['indicator']) ?? { value: false }
  if (typeof indicator !== 'boolean') {
    return [{ kind: 'unreadable', reason: `"indicator" holds ${describeJsonKind(indicator)}, not true or false` }]
  }
  if (item.type !== undefined && item.type !== null && typeof item.type !== 'string') {
    return [{ kind: 'unreadable', reason: `"type" holds ${describeJsonKind(item.type)}, not the name of a type` }]
  }
  const { value: weight } = openFieldReader(item, at).take(['weight']) ?? { value: 1 }
  if (!isWeight(weight)) {
    return [{ kind: 'unreadable', reason: `"weight" holds ${describeWeight(weight)}, not a number above 0` }]
  }
  const { value: turn } = openFieldReader(item, at).take(['turn']) ?? { value: 1 }
  if (typeof turn !== 'number' || !Number.isInteger(turn) || turn < 1) {
    return [{ kind: 'unreadable', reason: `"turn" holds ${describeWeight(turn)}, not the number of a message` }]
  }
  const foreign = readOtherCheck(item, deliverable !== null)
  const needsValue = foreign.kind === 'uncertain' || !isText(item.type) || isForJudge(item.type)
  if (needsValue && Object.entries(item).every(([key, one]) => marks.has(key) || isBlank(one))) {
    return [
      { kind: 'unreadable', reason: `${at}${ofType(item)} states nothing: add what it asks for, such as "value"` },
    ]
  }
  switch (foreign.kind) {
    case 'mistake':
      return [{ kind: 'unreadable', reason: `${at}${ofType(item)}: ${foreign.why}` }]
    case 'checks':
      for (const one of foreign.checks) {
        const where = describeSearchTarget(one, deliverable)
        warn(at, `type "${String(item.type)}" is read as a check of type ${one.type}${where}`)
      }
      for (const name of foreign.notRead) warn(at, `"${name}" of a criterion is not read${whyUnread(name)}`)
      return foreign.checks.map((check) => ({ kind: 'check', check, at }))
    case 'uncertain':
      warn(at, `type "${String(item.type)}" is not certain (${foreign.why}); a judge decides the statement`)
      return readStatement(withStatement(item, foreign.statement), at, warn)
    case 'unsupported':
      if (foreign.statement === null && !ownWords.some((name) => isText(item[name]))) {
        warn(at, `type "${String(item.type)}" is not supported (${foreign.why}) and states nothing; it is left out`)
        return []
      }
      warn(at, `type "${String(item.type)}" is not supported (${foreign.why}); a judge decides the statement`)
      return readStatement(withStatement(item, foreign.statement), at, warn)
    case 'statement':
      return readStatement(item, at, warn)
  }
}

/** Fields that say how a criterion counts or where it looks, not what it asks for. */
const marks = new Set(['type', 'id', 'weight', 'indicator', 'turn', 'target'])

function ofType({ type }: Record<string, unknown>): string {
  return !isText(type) ? '' : ` of type "${type}"`
}

function whyUnread(name: string): string {
  return ['required', 'critical'].includes(name) ? ': "weight" says how much it counts' : ''
}

/** The item's own words win; a name alone is not enough. */
function withStatement(item: Record<string, unknown>, statement: string | null): Record<string, unknown> {
  if (statement === null || ownWords.some((name) => name !== 'name' && isText(item[name]))) return item
  const name = readNonEmptyText(item.name)
  const marks = Object.fromEntries(
    ['indicator', 'weight', 'turn'].flatMap((key) => (key in item ? [[key, item[key]]] : [])),
  )
  return { text: name === null ? statement : `${name}: ${statement}`, ...marks }
}

function isWeight(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}

function describeWeight(value: unknown): string {
  return typeof value === 'number' ? String(value) : describeJsonKind(value)
}

/** Fields that state a criterion outside the parameter of its check. */
const ownWords = ['text', 'description', 'assertion', 'criterion', 'name', 'check', 'pass_if']

function describeSearchTarget(check: Check, deliverable: string | null): string {
  if ('target' in check && check.target === 'answer_or_outputs') {
    const isAbsence = check.type === 'not_contains' || (check.type === 'regex' && check.absent === true)
    const where = isAbsence ? 'in the final answer and in all output files' : 'in the final answer or an output file'
    return `, ${where}, because ${deliverable}`
  }
  if ('target' in check && check.target !== undefined) return `, in the ${check.target}`
  const looksInAnswer = ['contains', 'not_contains', 'regex', 'equals', 'json_path'].includes(check.type)
  return looksInAnswer && !('path' in check && check.path !== undefined) ? ', in the final answer' : ''
}

function readStatement(item: Record<string, unknown>, at: string, warn: Warn): (Criterion | Unreadable)[] {
  const fields = openFieldReader(item, at)
  const marked = fields.take(['indicator'])
  const weighed = fields.take(['weight'])
  const placed = fields.take(['turn'])
  const own = {
    ...(marked !== null && { indicator: marked.value === true }),
    ...(isWeight(weighed?.value) && { weight: weighed.value }),
    ...(typeof placed?.value === 'number' && { turn: placed.value }),
  }
  const statement = takeStatement(fields, isForJudge(item.type))
  if (statement === null) {
    warn(at, 'an object without a statement; the judge gets it as JSON')
    return [{ kind: 'expectation', expectation: { text: `The outcome meets ${canonicalJson(item)}`, ...own }, at }]
  }
  const isDocumented = (marked ?? weighed ?? placed) !== null && statement.from === 'text'
  if (!isDocumented) warn(at, `an object; its ${statement.from} is the statement`)
  const misspelt = takeMisspelt(fields, ['indicator', 'weight', 'turn'])
  warnRest(fields, { what: 'a criterion', warn })
  if (misspelt.length > 0) return misspelt.map((reason) => ({ kind: 'unreadable', reason }))
  return [{ kind: 'expectation', expectation: { text: statement.text, ...own }, at }]
}

/** Types whose parameter is the statement itself, whatever their full name. */
function isForJudge(type: unknown): boolean {
  return typeof type === 'string' && /^(?:llm|model[-_]graded|semantic|rubric|judge)/i.test(type)
}

const judgedNames = ['criterion', 'criteria', 'rubric', 'text', 'value', 'prompt']

/** A name alone says little and a value nothing, so the next field or the type is added. */
function takeStatement(fields: FieldReader, isForJudge: boolean): { text: string; from: string } | null {
  const asked = isForJudge ? fields.take(judgedNames, isText) : null
  const question = readNonEmptyText(asked?.value)
  if (asked !== null && question !== null) return { text: question, from: asked.key }
  const taken = fields.take(statementNames, isText)
  const text = readNonEmptyText(taken?.value)
  if (taken === null || text === null) return null
  switch (taken.key) {
    case 'name':
      return joinStatement({ label: text, key: taken.key, more: fields.take(statementNames, isText) })
    case 'value':
    case 'pattern': {
      const type = takeText(fields, ['type'])
      return type === null ? { text, from: taken.key } : { text: `${type}: ${text}`, from: `type and ${taken.key}` }
    }
    default:
      return { text, from: taken.key }
  }
}

function joinStatement({ label, key, more }: { label: string; key: string; more: TakenField | null }) {
  const text = readNonEmptyText(more?.value)
  if (more === null || text === null) return { text: label, from: key }
  return { text: `${label}: ${text}`, from: `${key} and ${more.key}` }
}

function dropRepeatedCriteria(found: readonly Criterion[], warn: Warn): Criterion[] {
  const kept: Criterion[] = []
  const byWords = new Map<string, number[]>()
  for (const one of found) {
    const words = normalizeCriterion(one)
    const alike = byWords.get(words) ?? []
    const place = alike.find((at) => isSameCriterion(one, kept[at]))
    const before = place === undefined ? undefined : kept[place]
    if (place === undefined || before === undefined) byWords.set(words, [...alike, kept.push(one) - 1])
    else {
      warn(one.at, 'says what another criterion of the case says; it counts once')
      if (before.kind === 'expectation' && one.kind === 'check') kept[place] = one
    }
  }
  return kept
}

/** For equal texts: a statement equals a check with that text; checks with different parameters differ. */
function isSameCriterion(one: Criterion, other: Criterion | undefined): boolean {
  if (one.kind !== 'check' || other?.kind !== 'check') return true
  return canonicalJson({ ...one.check, text: null }) === canonicalJson({ ...other.check, text: null })
}

function normalizeCriterion(one: Criterion): string {
  const text = one.kind === 'check' ? one.check.text : turnText(one.expectation)
  if (text === undefined && one.kind === 'check') return canonicalJson(one.check)
  const parts = (text ?? '').normalize('NFC').split(code)
  const spoken = parts.map((part, at) => (at % 2 === 1 ? part : part.toLowerCase().replaceAll(/\s+/g, ' ')))
  return spoken.join('').replace(/[.;]$/, '').trim()
}

/** The same statement about the answers to two messages is two statements. */
function turnText({ text, turn }: Expectation): string {
  return turn === undefined ? text : `${turn}. ${text}`
}

/** Upper case matters between backticks. */
const code = /(`[^`]*`)/
