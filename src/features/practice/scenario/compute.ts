/** Computes the values of a tool call's input from the conversation. */
import { isRecord } from '../../../base/json/json_text.ts'
import type { Conversation, ToolResult } from '../conversation.ts'
import { allMatches, matchText, namedGroups } from './pattern.ts'
import type { EachSpec, ScenarioValue, SearchSpec, ValueSource } from './value.ts'

/** Input of computed values: the conversation, and the variables of templates. */
export interface Material {
  conversation: Conversation
  variables: Readonly<Record<string, unknown>>
}

/** The plain value. Throws for a template with an unknown name, and for $number of a text that is not a number. */
export function computeValue(value: ScenarioValue, material: Material): unknown {
  switch (value.kind) {
    case 'constant':
      return value.value
    case 'text':
      return value.template.fill(material.variables)
    case 'list':
      return value.items.map((item) => computeValue(item, material))
    case 'object':
      return computeFields(value.fields, material)
    case 'each':
      return computeEach(value.each, material, computeValue)
    case 'found':
      return isFound(value, material)
    case 'line':
      return computeLine(value, material)
    case 'number':
      return parseNumberOrThrow(value.template.fill(material.variables))
  }
}

function computeFields(fields: Readonly<Record<string, ScenarioValue>>, material: Material): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, computeValue(field, material)]))
}

function parseNumberOrThrow(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw new Error(`$number: "${text}" is not a number`)
  return number
}

/** One result per match, with its named groups as variables. */
export function computeEach<As, R>(each: EachSpec<As>, material: Material, make: (as: As, inner: Material) => R): R[] {
  const texts = sourceTexts(each.in, null, material).map(({ text }) => text)
  const matches = texts.flatMap((text) => allMatches(each.match, text))
  return matches.map((match) => {
    return make(each.as, { ...material, variables: { ...material.variables, ...namedGroups(match) } })
  })
}

type FoundValue = Extract<ScenarioValue, { kind: 'found' }>
type LineValue = Extract<ScenarioValue, { kind: 'line' }>

function isFound({ search, ifNone }: FoundValue, material: Material): boolean {
  const needles = findNeedles(search, material)
  const lines = searchedLines(search, material)
  return needles.length === 0 ? ifNone : needles.every((needle) => findHoldingLine(needle, lines) !== undefined)
}

/**
 * The line with the first needle, if all are found; else `otherwise`, which may name what is missing. Without needles: the last
 * line that was read.
 */
function computeLine({ search, as, otherwise }: LineValue, material: Material): string {
  const needles = findNeedles(search, material)
  const lines = searchedLines(search, material)
  const missing = needles.find((needle) => findHoldingLine(needle, lines) === undefined) ?? ''
  const [first] = needles
  const line = first === undefined ? lines.findLast(({ text }) => text !== '') : findHoldingLine(first, lines)
  if (missing !== '' || line === undefined) {
    return otherwise?.fill({ ...material.variables, missing }) ?? `nothing that was read contains ${missing}`.trim()
  }
  return as?.fill({ ...material.variables, line: line.text, path: line.path }) ?? line.text
}

function findNeedles({ needles, of }: SearchSpec, { variables }: Material): string[] {
  return allMatches(needles, of.fill(variables)).map(matchText).filter(Boolean)
}

interface SearchedLine {
  text: string
  /** The file of the line, as the tool call names it; empty: it names none. */
  path: string
}

function findHoldingLine(needle: string, lines: readonly SearchedLine[]): SearchedLine | undefined {
  return lines.find(({ text }) => text.includes(needle))
}

/** Every line, without the line numbers that reading tools add. */
function searchedLines(search: SearchSpec, material: Material): SearchedLine[] {
  const from = search.from?.fill(material.variables) ?? null
  return sourceTexts(search.in, from, material).flatMap(({ text, call }) => {
    const path = inputPath(call?.input)
    return text.split('\n').map((line) => ({ text: line.replace(/^\s*\d+(?:\t|→)/, '').trim(), path }))
  })
}

function inputPath(input: unknown): string {
  if (!isRecord(input)) return ''
  return [input.file_path, input.path].find((one) => typeof one === 'string') ?? ''
}

type Text = Pick<ToolResult, 'text'> & Partial<Pick<ToolResult, 'call'>>

function sourceTexts(source: ValueSource, from: string | null, { conversation, variables }: Material): Text[] {
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
