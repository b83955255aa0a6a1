/** Finds the structured answer in a model's text. It never guesses: text that could be read in two ways has no answer. */
import { canonicalJson } from '../../base/json/json.ts'
import { isRecord } from '../../base/json/json_text.ts'
import { parseTolerantSpan, parseTolerantText } from './tolerant_json.ts'

type Schema = Readonly<Record<string, unknown>>

/** The answer, unchecked, or why there is none, as part of a sentence about the text. */
export type TextAnswer = { value: unknown } | { problem: string }

/** How many characters at the end of the text are searched. */
const searchedLength = 1_000_000
/** The most steps of a search: braces that never close would make it quadratic. */
const maxSearchSteps = 3_000_000

/**
 * The one object in the text that has the schema's required names, or the one list if the schema requires only a list. Reasoning in
 * front of the answer is not searched. Two different answers, a damaged one or one that is cut off count as none, wherever they are:
 * one of them may be a draft, or a quote of what another model wrote.
 */
export function findJsonAnswer(text: string, schema: Schema): TextAnswer {
  const said = dropReasoning(text.slice(-searchedLength))
  if (said === null) return { problem: 'it ends inside its reasoning' }
  const shape = readShape(schema)
  const found: Found = { answers: [], entries: [] }
  let steps = 0
  for (let at = findOpening(said, 0, shape); at >= 0; ) {
    const span = parseTolerantSpan(said, at)
    steps += (span?.end ?? said.length) - at
    if (steps > maxSearchSteps) return { problem: 'it has too many brackets to search' }
    const part = said.slice(at, span?.end)
    const parsed = span?.parsed ?? { problem: 'it is cut off' }
    if ('problem' in parsed && !isProse(part) && (mentions(part, shape) || (span === null && looksBegun(part)))) {
      return { problem: `its JSON cannot be read: ${parsed.problem}` }
    }
    if ('value' in parsed) addFound(found, parsed.value, shape)
    at = findOpening(said, 'value' in parsed && span !== null ? span.end : at + 1, shape)
  }
  return chooseAnswer(found, shape)
}

function chooseAnswer({ answers, entries }: Found, shape: Shape): TextAnswer {
  const [first, ...others] = answers
  if (first === undefined) return { problem: `no JSON answer was found in it${missing(shape)}` }
  const listed = isRecord(first) && shape.list !== null ? first[shape.list.name] : []
  const known = new Set((Array.isArray(listed) ? listed : []).map((one) => canonicalJson(one)))
  const isSame = others.every((one) => canonicalJson(one) === canonicalJson(first))
  return isSame && entries.every((one) => known.has(canonicalJson(one)))
    ? { value: first }
    : { problem: 'it contains several different JSON answers; give one' }
}

/** Marks around the reasoning that models write in front of their answer. */
const reasoningMarks: readonly (readonly [RegExp, string])[] = [
  [/^\s*<(think|thinking|thought|reasoning|analysis)>/i, '</$1>'],
  [/^\s*\[(THINK)\]/, '[/$1]'],
  [/^\s*◁(think)▷/, '◁/$1▷'],
  [/^\s*(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>/, '<|channel|>final<|message|>'],
]

/** The text behind the reasoning at its start; null: the reasoning does not end. A mark further on is text. */
function dropReasoning(text: string): string | null {
  for (const [opening, closing] of reasoningMarks) {
    const found = opening.exec(text)
    if (found === null) continue
    const mark = closing.replace('$1', found[1] ?? '')
    const at = text.indexOf(mark, found[0].length)
    return at < 0 ? null : dropReasoning(text.slice(at + mark.length))
  }
  return text
}

const callMarks = /```\w*|<\/?(?:tool_calls?|function_calls?|tools?)>|<\|[\w ]*\|>|\[\/?TOOL_CALLS\]/gi

/** Whether a text is nothing but calls of tools, bare, fenced or in tags, as models write them for a server that does not read them. */
export function isToolCallText(text: string): boolean {
  const said = (dropReasoning(text) ?? '').replaceAll(callMarks, ' ').trim()
  if (/^<function=[\w.-]+>.*(?:<\/function>|\})$/s.test(said)) return true
  for (let at = 0; at < said.length; ) {
    const span = parseTolerantSpan(said, at)
    const values = span !== null && 'value' in span.parsed ? [span.parsed.value].flat() : []
    if (span === null || values.length === 0 || !values.every(isToolCall)) return false
    at = said.length - said.slice(span.end).replace(/^[\s,;]+/, '').length
  }
  return said !== ''
}

/** Whether it has a name and arguments, and besides at most an id and a type. */
function isToolCall(value: unknown): boolean {
  if (!isRecord(value)) return false
  if (isRecord(value.function)) return isToolCall(value.function)
  const keys = Object.keys(value).filter((key) => key !== 'id' && key !== 'type')
  const name = keys.find((key) => ['name', 'function', 'tool', 'tool_name'].includes(key))
  const hasInput = keys.some((key) => ['arguments', 'parameters', 'input', 'args'].includes(key))
  return keys.length === 2 && name !== undefined && typeof value[name] === 'string' && hasInput
}

/** What shows that a value is the answer. */
interface Shape {
  /** Names that the answer must have. If none is required, the answer has at least one of these. */
  names: readonly string[]
  needsAll: boolean
  /** The list that is all that the answer needs, and what each of its entries must have; null: it needs something else. */
  list: { name: string; names: readonly string[] } | null
}

function readShape(schema: Schema): Shape {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const names = requiredNames(schema)
  if (names.length === 0) return { names: Object.keys(properties), needsAll: false, list: null }
  const [name = ''] = names
  const inner = names.length === 1 ? properties[name] : undefined
  const entry = isRecord(inner) && inner.type === 'array' && isRecord(inner.items) ? requiredNames(inner.items) : []
  return { names, needsAll: true, list: entry.length === 0 ? null : { name, names: entry } }
}

function requiredNames({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** Where the next object begins, or the next list of objects if that may be the answer; -1: nowhere. */
function findOpening(text: string, from: number, { list }: Shape): number {
  const opening = list === null ? /\{\s*(?=["'“‘}/#\w$])/g : /\{\s*(?=["'“‘}/#\w$])|\[\s*(?=\{)/g
  opening.lastIndex = from
  return opening.exec(text)?.index ?? -1
}

/** Whether a damaged part was meant as an answer, or as an entry of one. */
function mentions(part: string, { names, list }: Shape): boolean {
  const has = (name: string) => [`"${name}"`, `'${name}'`, `“${name}”`, `${name}:`].some((one) => part.includes(one))
  return names.some(has) || (list?.names.every(has) ?? false)
}

/** Whether a brace opens no object: a word without a colon follows, or a quotation mark that closes an earlier one. */
function isProse(part: string): boolean {
  return /^\{(?:\s*[\w$-]+\s*(?![\s\w$:-])|"[^"]*[\s{}][^"]*"\s*[^\s:])/.test(part)
}

/** Whether a part that never closes begins like JSON, not like a brace in a sentence. */
function looksBegun(part: string): boolean {
  return /^(?:\{\s*(?:["'“‘]|$)|\[\s*\{)/.test(part)
}

interface Found {
  answers: unknown[]
  /** Entries of the answer's list outside of one, such as in an object of another name. */
  entries: unknown[]
}

/** Adds the answers in a value: the value itself, or the arguments of a call of `submit` that a server passed on as text. */
function addFound(found: Found, value: unknown, shape: Shape): void {
  const { names, needsAll, list } = shape
  if (Array.isArray(value)) {
    if (list !== null && value.every((one) => isEntry(one, list))) found.answers.push({ [list.name]: value })
    else for (const one of value) addFound(found, one, shape)
  }
  if (!isRecord(value)) return
  const has = (name: string) => Object.hasOwn(value, name)
  const inner = value.name === 'submit' ? (value.arguments ?? value.parameters ?? value.input) : value.function
  if (names.length === 0 || (needsAll ? names.every(has) : names.some(has))) found.answers.push(value)
  else if (typeof inner === 'string') addFound(found, parseText(inner), shape)
  else if (isRecord(inner)) addFound(found, inner, shape)
  else if (list !== null) found.entries.push(...findEntries(value, list))
}

type List = NonNullable<Shape['list']>

function findEntries(value: unknown, list: List): unknown[] {
  if (isEntry(value, list)) return [value]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((one) => findEntries(one, list))
    : []
}

/** A schema has objects in these places. */
function isEntry(value: unknown, { names }: List): boolean {
  return isRecord(value) && names.every((name) => Object.hasOwn(value, name) && !isRecord(value[name]))
}

function parseText(text: string): unknown {
  const parsed = parseTolerantText(text)
  return 'value' in parsed ? parsed.value : null
}

function missing({ names, needsAll }: Shape): string {
  return needsAll ? ` (an object with ${names.map((name) => `"${name}"`).join(', ')})` : ''
}

/** The prompt with the schema in it, for an agent that has no structured answers. */
export function withSchema(prompt: string, schema: Schema): string {
  return `${prompt}\n\nEnd your answer with one JSON object that fits this JSON Schema, and write nothing after it:\n${JSON.stringify(schema)}\n`
}
