/** Whether a rule fits a request, and what its named groups took. */
import type { Conversation } from './conversation.ts'
import { groupsOf } from './pattern.ts'
import type { Rule, When } from './scenario.ts'
import { evenChance, type Numbered, unit } from './seed.ts'

export type Captures = Readonly<Record<string, string>>

export interface Scene {
  conversation: Conversation
  numbered: Numbered
  /** The scenario's seed. */
  seed: number | string
}

/** A rule whose conditions all hold, with the named groups of its regexes. */
export interface Fit {
  rule: Rule
  captures: Captures
}

/** The rules that fit, in order, each looked at only when asked for. */
export function* fits(rules: readonly Rule[], scene: Scene): Generator<Fit> {
  for (const rule of rules) {
    const captures = capturesOf(rule, scene)
    if (captures !== null) yield { rule, captures }
  }
}

function capturesOf(rule: Rule, scene: Scene): Captures | null {
  const { when } = rule
  const { conversation } = scene
  const calls = conversation.calls.map(({ text }) => text)
  const decided: readonly (Captures | null)[] = [
    every(when.system, [conversation.system]),
    every(when.user, [conversation.user]),
    every(when.last, [conversation.last]),
    fitResults(when, conversation),
    every(when.called, calls),
    none(when.not_called, calls),
    every(when.tool, conversation.tools),
    none(when.no_tool, conversation.tools),
    every(when.model, [conversation.model]),
    said(inTurn(when, conversation.turn) && inSeed(when, scene.numbered.number) && byChance(rule, scene)),
  ]
  const held = decided.filter((captures) => captures !== null)
  return held.length < decided.length ? null : Object.assign({}, ...held)
}

const said = (holds: boolean): Captures | null => (holds ? {} : null)

/** Each regex must fit one of the texts. */
function every(regexes: readonly RegExp[] | undefined, texts: readonly string[]): Captures | null {
  const captures: Record<string, string> = {}
  for (const regex of regexes ?? []) {
    const match = firstMatch(regex, texts)
    if (match === null) return null
    Object.assign(captures, groupsOf(match))
  }
  return captures
}

function firstMatch(regex: RegExp, texts: readonly string[]): RegExpExecArray | null {
  for (const text of texts) {
    const match = regex.exec(text)
    if (match) return match
  }
  return null
}

function none(regexes: readonly RegExp[] | undefined, texts: readonly string[]): Captures | null {
  return said(!(regexes ?? []).some((regex) => firstMatch(regex, texts)))
}

/** The newest result is looked at first. */
function fitResults(when: When, { results }: Conversation): Captures | null {
  const { result, result_of: tool, result_error: isError } = when
  const fitting = results.filter(({ call }) => tool === undefined || tool.test(call?.name ?? ''))
  if (tool !== undefined && fitting.length === 0) return null
  if (isError !== undefined && fitting.at(-1)?.isError !== isError) return null
  return every(result, fitting.map(({ text }) => text).reverse())
}

function inTurn({ turn }: When, number: number): boolean {
  return turn === undefined || (number >= turn.min && number <= turn.max)
}

function inSeed({ seed }: When, number: number): boolean {
  return seed === undefined || seed.in.includes(number % seed.mod)
}

function byChance({ when, name }: Rule, { numbered, seed }: Scene): boolean {
  return when.chance === undefined || evenChance(when.chance, numbered.number, unit(seed, numbered.key, name))
}
