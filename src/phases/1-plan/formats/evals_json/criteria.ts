/** What a case is judged by: statements in lists of many names and shapes, and checks written among them. */
import type { Check } from '../../../../../schemas/check.ts'
import type { Expectation } from '../../../../../schemas/suite.ts'
import { canonicalJson } from '../../../../base/json.ts'
import type { Warn } from '../../warnings.ts'
import { kindOf } from './document.ts'
import { type Fields, isObject, isText, openFields, type Taken, takeText, textIn, warnRest } from './fields.ts'
import { readForeignCheck } from './foreign_checks.ts'
import { criteriaNames, statementNames } from './names.ts'

export interface Criteria {
  expectations: Expectation[]
  checks: Check[]
}

type Criterion =
  | { kind: 'expectation'; expectation: Expectation; at: string }
  | { kind: 'check'; check: Check; at: string }

/** Takes every list of criteria. What is said twice counts once, as a check if one of them is one. */
export function takeCriteria(fields: Fields, warn: Warn): Criteria {
  const found = criteriaNames.flatMap((name) => {
    const taken = fields.take([name])
    return taken === null ? [] : criteriaIn(taken, warn)
  })
  const once = withoutRepeats(found, warn)
  return {
    expectations: once.flatMap((one) => (one.kind === 'expectation' ? [one.expectation] : [])),
    checks: once.flatMap((one) => (one.kind === 'check' ? [one.check] : [])),
  }
}

const ownNames = new Set(['expectations', 'assertions'])

function criteriaIn({ key, value, at }: Taken, warn: Warn): Criterion[] {
  if (!ownNames.has(key)) warn(at, `"${key}" is read as "expectations"`)
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => criterionOf(item, `${at}[${index}]`, warn))
  }
  if (textIn(value) !== null || isObject(value)) {
    warn(at, `${kindOf(value)}, not a list; it is read as one criterion`)
    return criterionOf(value, at, warn)
  }
  warn(at, `${kindOf(value)}, not a list of criteria; it is skipped`)
  return []
}

function criterionOf(item: unknown, at: string, warn: Warn): Criterion[] {
  if (isObject(item)) return objectCriterion(item, at, warn)
  const text = textIn(item)
  if (text !== null) return [{ kind: 'expectation', expectation: { text }, at }]
  warn(at, `${kindOf(item)}, not a criterion; it is skipped`)
  return []
}

function objectCriterion(item: Record<string, unknown>, at: string, warn: Warn): Criterion[] {
  const foreign = readForeignCheck(item)
  switch (foreign.kind) {
    case 'check':
      warn(at, `type "${String(item.type)}" is read as a check of type ${foreign.check.type}${whereOf(foreign.check)}`)
      for (const name of foreign.notRead) warn(at, `"${name}" of a criterion is not read: each counts as one`)
      return [{ kind: 'check', check: foreign.check, at }]
    case 'uncertain':
      warn(at, `type "${String(item.type)}" is not certain (${foreign.why}); a judge decides the statement`)
      return statementOf(item, at, warn)
    case 'unsupported':
      if (!ownWords.some((name) => isText(item[name]))) {
        warn(at, `type "${String(item.type)}" is not supported (${foreign.why}) and states nothing; it is left out`)
        return []
      }
      warn(at, `type "${String(item.type)}" is not supported (${foreign.why}); a judge decides the statement`)
      return statementOf(item, at, warn)
    case 'statement':
      return statementOf(item, at, warn)
  }
}

/** Where the words of a criterion are, other than in the parameter of its check. */
const ownWords = ['text', 'description', 'assertion', 'criterion', 'name', 'check', 'pass_if']

function whereOf(check: Check): string {
  if ('target' in check && check.target !== undefined) return `, in the ${check.target}`
  const looksInAnswer = ['contains', 'not_contains', 'regex', 'equals', 'json_path'].includes(check.type)
  return looksInAnswer && !('path' in check && check.path !== undefined) ? ', in the final answer' : ''
}

function statementOf(item: Record<string, unknown>, at: string, warn: Warn): Criterion[] {
  const fields = openFields(item, at)
  const marked = fields.take(['indicator'], (value) => typeof value === 'boolean')
  const indicator = marked === null ? {} : { indicator: marked.value === true }
  const statement = takeStatement(fields, isForJudge(item.type))
  if (statement === null && fields.rest().length === 0) {
    warn(at, 'an object without a value; it is skipped')
    return []
  }
  if (statement === null) {
    warn(at, 'an object without a statement; the judge gets it as JSON')
    return [
      { kind: 'expectation', expectation: { text: `The outcome meets ${canonicalJson(item)}`, ...indicator }, at },
    ]
  }
  const isDocumented = marked?.key === 'indicator' && statement.from === 'text'
  if (!isDocumented) warn(at, `an object; its ${statement.from} is the statement`)
  warnRest(fields, { what: 'a criterion', warn })
  return [{ kind: 'expectation', expectation: { text: statement.text, ...indicator }, at }]
}

/** Types whose parameter is the statement itself, whatever they are called besides. */
function isForJudge(type: unknown): boolean {
  return typeof type === 'string' && /^(?:llm|model[-_]graded|semantic|rubric|judge)/i.test(type)
}

const judgedNames = ['criterion', 'criteria', 'rubric', 'text', 'value', 'prompt']

/** A name alone says little and a value nothing: what comes next in the order, or the type, goes with it. */
function takeStatement(fields: Fields, isForJudge: boolean): { text: string; from: string } | null {
  const asked = isForJudge ? fields.take(judgedNames, isText) : null
  const question = textIn(asked?.value)
  if (asked !== null && question !== null) return { text: question, from: asked.key }
  const taken = fields.take(statementNames, isText)
  const text = textIn(taken?.value)
  if (taken === null || text === null) return null
  switch (taken.key) {
    case 'name':
      return joined({ label: text, key: taken.key, more: fields.take(statementNames, isText) })
    case 'value':
    case 'pattern': {
      const type = takeText(fields, ['type'])
      return type === null ? { text, from: taken.key } : { text: `${type}: ${text}`, from: `type and ${taken.key}` }
    }
    default:
      return { text, from: taken.key }
  }
}

function joined({ label, key, more }: { label: string; key: string; more: Taken | null }) {
  const text = textIn(more?.value)
  if (more === null || text === null) return { text: label, from: key }
  return { text: `${label}: ${text}`, from: `${key} and ${more.key}` }
}

function withoutRepeats(found: readonly Criterion[], warn: Warn): Criterion[] {
  const kept: Criterion[] = []
  const byWords = new Map<string, number[]>()
  for (const one of found) {
    const words = wordsOf(one)
    const alike = byWords.get(words) ?? []
    const place = alike.find((at) => means(one, kept[at]))
    const before = place === undefined ? undefined : kept[place]
    if (place === undefined || before === undefined) byWords.set(words, [...alike, kept.push(one) - 1])
    else {
      warn(one.at, 'says what another criterion of the case says; it counts once')
      if (before.kind === 'expectation' && one.kind === 'check') kept[place] = one
    }
  }
  return kept
}

/** Of the same words: a statement and a check that is called so are one; checks that look for different things are not. */
function means(one: Criterion, other: Criterion | undefined): boolean {
  if (one.kind !== 'check' || other?.kind !== 'check') return true
  return canonicalJson({ ...one.check, text: null }) === canonicalJson({ ...other.check, text: null })
}

function wordsOf(one: Criterion): string {
  const text = one.kind === 'check' ? one.check.text : one.expectation.text
  if (text === undefined && one.kind === 'check') return canonicalJson(one.check)
  const parts = (text ?? '').normalize('NFC').split(code)
  const spoken = parts.map((part, at) => (at % 2 === 1 ? part : part.toLowerCase().replaceAll(/\s+/g, ' ')))
  return spoken.join('').replace(/[.;]$/, '').trim()
}

/** Between backticks upper case is another name. */
const code = /(`[^`]*`)/
