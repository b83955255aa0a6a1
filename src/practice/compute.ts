/** Computes the values of a tool call's input from the conversation. */
import type { Conversation, ToolResult } from './conversation.ts'
import { allMatches, groupsOf, matchText } from './pattern.ts'
import { isObject } from './strict.ts'
import type { Each, Search, Source, Value } from './value.ts'

/** What values are computed from: the conversation, and the variables of templates. */
export interface Material {
  conversation: Conversation
  variables: Readonly<Record<string, unknown>>
}

/** The plain value. Throws for a template that names what is not there, and for $number of what is none. */
export function compute(value: Value, material: Material): unknown {
  switch (value.kind) {
    case 'constant':
      return value.value
    case 'text':
      return value.template.fill(material.variables)
    case 'list':
      return value.items.map((item) => compute(item, material))
    case 'object':
      return computeFields(value.fields, material)
    case 'each':
      return computeEach(value.each, material, compute)
    case 'found':
      return isFound(value, material)
    case 'line':
      return lineOf(value, material)
    case 'number':
      return numberOf(value.template.fill(material.variables))
  }
}

function computeFields(fields: Readonly<Record<string, Value>>, material: Material): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, compute(field, material)]))
}

function numberOf(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw new Error(`$number: "${text}" is no number`)
  return number
}

/** One result per match, its named groups being variables in it. */
export function computeEach<As, R>(each: Each<As>, material: Material, make: (as: As, inner: Material) => R): R[] {
  const texts = textsOf(each.in, null, material).map(({ text }) => text)
  const matches = texts.flatMap((text) => allMatches(each.match, text))
  return matches.map((match) => {
    return make(each.as, { ...material, variables: { ...material.variables, ...groupsOf(match) } })
  })
}

type Found = Extract<Value, { kind: 'found' }>
type Line = Extract<Value, { kind: 'line' }>

function isFound({ search, ifNone }: Found, material: Material): boolean {
  const needles = needlesOf(search, material)
  const lines = searched(search, material)
  return needles.length === 0 ? ifNone : needles.every((needle) => holding(needle, lines) !== undefined)
}

/**
 * The line that holds the first needle, if all are found; else `otherwise`, which may name what is missing. Nothing to
 * look for: the last line that was read.
 */
function lineOf({ search, as, otherwise }: Line, material: Material): string {
  const needles = needlesOf(search, material)
  const lines = searched(search, material)
  const missing = needles.find((needle) => holding(needle, lines) === undefined) ?? ''
  const [first] = needles
  const line = first === undefined ? lines.findLast(({ text }) => text !== '') : holding(first, lines)
  if (missing !== '' || line === undefined) {
    return otherwise?.fill({ ...material.variables, missing }) ?? `nothing that was read holds ${missing}`.trim()
  }
  return as?.fill({ ...material.variables, line: line.text, path: line.path }) ?? line.text
}

function needlesOf({ needles, of }: Search, { variables }: Material): string[] {
  return allMatches(needles, of.fill(variables)).map(matchText).filter(Boolean)
}

interface SearchedLine {
  text: string
  /** The file it was read from, as the tool call names it; empty when it names none. */
  path: string
}

function holding(needle: string, lines: readonly SearchedLine[]): SearchedLine | undefined {
  return lines.find(({ text }) => text.includes(needle))
}

/** Every line, without the numbers that reading tools put before it. */
function searched(search: Search, material: Material): SearchedLine[] {
  const from = search.from?.fill(material.variables) ?? null
  return textsOf(search.in, from, material).flatMap(({ text, call }) => {
    const path = pathOf(call?.input)
    return text.split('\n').map((line) => ({ text: line.replace(/^\s*\d+(?:\t|→)/, '').trim(), path }))
  })
}

function pathOf(input: unknown): string {
  if (!isObject(input)) return ''
  return [input.file_path, input.path].find((one) => typeof one === 'string') ?? ''
}

type Text = Pick<ToolResult, 'text'> & Partial<Pick<ToolResult, 'call'>>

function textsOf(source: Source, from: string | null, { conversation, variables }: Material): Text[] {
  if (source.kind === 'text') return [{ text: source.template.fill(variables) }]
  switch (source.name) {
    case 'results':
      return conversation.results.filter(({ call }) => from === null || (call?.text ?? '').includes(from))
    case 'lastResult':
      return conversation.results.slice(-1)
    case 'last':
    case 'user':
    case 'system':
      return [{ text: conversation[source.name] }]
  }
}
