/** From a rule that fits to what the model says: templates filled, operators computed. */
import Handlebars from 'handlebars'
import { messageOf } from '../base/error.ts'
import type { Conversation } from './conversation.ts'
import type { Captures } from './match.ts'
import type { Rule, ToolCallRule } from './scenario.ts'

export interface Answer {
  text: string
  toolCalls: { name: string; input: Record<string, unknown> }[]
  stopReason: string
}

type Variables = Readonly<Record<string, unknown>>

const engine = Handlebars.create()
engine.registerHelper({
  json: (value: unknown) => JSON.stringify(value),
  trim: (text: unknown) => String(text).trim(),
  firstLine: (text: unknown) => String(text).trim().split('\n')[0] ?? '',
  find: (source: unknown, text: unknown) => {
    const match = new RegExp(String(source), 'm').exec(String(text))
    return match?.[1] ?? match?.[0] ?? ''
  },
})

/** Throws an Error that names the rule when a template asks for what is not there. */
export function answerOf(rule: Rule, captures: Captures, at: { conversation: Conversation; seed: number }): Answer {
  const { conversation, seed } = at
  const variables: Variables = {
    ...{ system: conversation.system, user: conversation.user, last: conversation.last, turn: conversation.turn, seed },
    results: conversation.results.map((one) => one.text).join('\n'),
    lastResult: conversation.results.at(-1)?.text ?? '',
    ...captures,
  }
  try {
    const toolCalls = callsOf(rule, variables, conversation)
    const text = rule.text === undefined ? '' : fill(rule.text, variables)
    return { text, toolCalls, stopReason: rule.stop_reason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn') }
  } catch (error) {
    throw new Error(`practice rule ${JSON.stringify(rule.name)}: ${messageOf(error)}`)
  }
}

function callsOf(rule: Rule, variables: Variables, conversation: Conversation): Answer['toolCalls'] {
  const { tool_calls: calls } = rule
  if (calls === undefined) return []
  const one = (call: ToolCallRule, values: Variables) => {
    const names = Array.isArray(call.name) ? call.name : [fill(call.name, values)]
    const name = names.find((each) => conversation.tools.includes(each)) ?? names[0] ?? ''
    return {
      name,
      input: Object.fromEntries(Object.entries(call.input).map(([key, value]) => [key, compute(value, values)])),
    }
  }
  if (Array.isArray(calls)) return calls.map((call) => one(call, variables))
  return matches(calls.$each, variables).map((values) => one(calls.$each.as, values))
}

function matches(each: { in: string; match: RegExp }, variables: Variables): Variables[] {
  const text = textNamed(each.in, variables)
  const all = new RegExp(each.match.source, `${each.match.flags}g`)
  return [...text.matchAll(all)].map((match, index) => ({ ...variables, ...match.groups, match: match[0], index }))
}

/** A value of an input: strings are templates; an object with one $ key is computed; everything else stays. */
function compute(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return fill(value, variables)
  if (Array.isArray(value)) return value.map((one) => compute(one, variables))
  if (value === null || typeof value !== 'object') return value
  const [first, ...rest] = Object.entries(value)
  const operator = first && rest.length === 0 ? operators[first[0]] : undefined
  if (first && operator) return operator(first[1], variables)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, compute(inner, variables)]))
}

type Operator = (argument: unknown, variables: Variables) => unknown

const operators: Readonly<Record<string, Operator>> = {
  /** { in, match, as }: an array with one value for each match. */
  $each: (argument, variables) => {
    const { in: source, match, as } = fields(argument)
    return matches({ in: String(source), match: new RegExp(String(match), 'm') }, variables).map((values) =>
      compute(as, values),
    )
  },
  /** { needles, of, in }: whether every needle (a regex over `of`) occurs in the text named by `in`. */
  $found: (argument, variables) => {
    const { text, all } = needles(argument, variables)
    return all.every((needle) => text.includes(needle))
  },
  /** { needles, of, in }: the first line that holds a needle, else a sentence that says what is missing. */
  $line: (argument, variables) => {
    const { text, all } = needles(argument, variables)
    const missing = all.find((needle) => !text.includes(needle))
    if (missing !== undefined) return `Nothing that was read holds ${missing}`
    const lines = text.split('\n').map((line) => line.replace(/^\s*\d+[\t→]\s*/, '').trim())
    return lines.find((line) => all[0] !== undefined && line.includes(all[0])) ?? text.trim().split('\n').at(-1) ?? ''
  },
  /** A template whose text is read as a number. */
  $number: (argument, variables) => Number(fill(String(argument), variables)),
}

function needles(argument: unknown, variables: Variables): { text: string; all: string[] } {
  const { needles: pattern, of, in: source } = fields(argument)
  const found = fill(String(of), variables).matchAll(new RegExp(String(pattern), 'gm'))
  return { text: textNamed(String(source), variables), all: [...found].map((match) => match[1] ?? match[0]) }
}

function fields(argument: unknown): Readonly<Record<string, unknown>> {
  return argument !== null && typeof argument === 'object' ? { ...argument } : {}
}

function textNamed(name: string, variables: Variables): string {
  const text = variables[name]
  if (typeof text !== 'string') throw new Error(`there is no text ${JSON.stringify(name)} to look in`)
  return text
}

const compiled = new Map<string, HandlebarsTemplateDelegate>()

function fill(template: string, variables: Variables): string {
  const made = compiled.get(template) ?? engine.compile(template, { strict: true, noEscape: true })
  compiled.set(template, made)
  return made(variables)
}
