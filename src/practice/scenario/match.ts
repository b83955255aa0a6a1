/** Checks whether a rule matches a request, and collects its named groups. */
import type { Conversation } from '../conversation.ts'
import { namedGroups } from './pattern.ts'
import type { RuleCondition, ScenarioRule } from './scenario.ts'
import { type ConversationNumber, evenChance, hashToUnit } from './seed.ts'

export type Captures = Readonly<Record<string, string>>

export interface MatchContext {
  conversation: Conversation
  numbered: ConversationNumber
  /** The scenario's seed. */
  seed: number | string
}

/** A rule whose conditions all match, with the named groups of its regexes. */
export interface RuleFit {
  rule: ScenarioRule
  captures: Captures
}

/** The matching rules, in order, each checked only on demand. */
export function* findFits(rules: readonly ScenarioRule[], context: MatchContext): Generator<RuleFit> {
  for (const rule of rules) {
    const captures = matchRule(rule, context)
    if (captures !== null) yield { rule, captures }
  }
}

function matchRule(rule: ScenarioRule, context: MatchContext): Captures | null {
  const { when } = rule
  const { conversation } = context
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
    toCaptures(inTurn(when, conversation.turn) && inSeed(when, context.numbered.number) && byChance(rule, context)),
  ]
  const held = decided.filter((captures) => captures !== null)
  return held.length < decided.length ? null : Object.assign({}, ...held)
}

const toCaptures = (holds: boolean): Captures | null => (holds ? {} : null)

/** Each regex must match one of the texts. */
function every(regexes: readonly RegExp[] | undefined, texts: readonly string[]): Captures | null {
  const captures: Record<string, string> = {}
  for (const regex of regexes ?? []) {
    const match = firstMatch(regex, texts)
    if (match === null) return null
    Object.assign(captures, namedGroups(match))
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
  return toCaptures(!(regexes ?? []).some((regex) => firstMatch(regex, texts)))
}

/** Checks the newest result first. */
function fitResults(when: RuleCondition, { results }: Conversation): Captures | null {
  const { result, result_of: tool, result_error: isError } = when
  const fitting = results.filter(({ call }) => tool === undefined || tool.test(call?.name ?? ''))
  if (tool !== undefined && fitting.length === 0) return null
  if (isError !== undefined && fitting.at(-1)?.isError !== isError) return null
  return every(result, fitting.map(({ text }) => text).reverse())
}

function inTurn({ turn }: RuleCondition, number: number): boolean {
  return turn === undefined || (number >= turn.min && number <= turn.max)
}

function inSeed({ seed }: RuleCondition, number: number): boolean {
  return seed === undefined || seed.in.includes(number % seed.mod)
}

function byChance({ when, name }: ScenarioRule, { numbered, seed }: MatchContext): boolean {
  return when.chance === undefined || evenChance(when.chance, numbered.number, hashToUnit(seed, numbered.key, name))
}
