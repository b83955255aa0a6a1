/** The practice model itself: decides the reply to a request, independent of sockets. */
import { errorMessage as textOfError } from '../../base/errors/error.ts'
import { PracticeBatches } from './batches.ts'
import { type Conversation, readConversation } from './conversation.ts'
import type { Dialogue, PracticeMessage } from './dialogue.ts'
import type { LoggedRequest } from './log.ts'
import { answerContent, createMessage } from './message.ts'
import { type Breakage, type Reply, refusalReply } from './reply.ts'
import type { Material } from './scenario/compute.ts'
import { drawDelay } from './scenario/delay.ts'
import { faultApplies, type PracticeFault } from './scenario/fault.ts'
import { namedGroups } from './scenario/pattern.ts'
import { MovingLimit } from './scenario/request_limits.ts'
import type { RuleCondition, Scenario, ScenarioRule } from './scenario/scenario.ts'
import { type ConversationNumber, ConversationNumbers, evenChance, hashToUnit } from './scenario/seed.ts'

type Captures = Readonly<Record<string, string>>

interface MatchContext {
  conversation: Conversation
  numbered: ConversationNumber
  /** The scenario's seed. */
  seed: number | string
}

/** A rule whose conditions all match, with the named groups of its regexes. */
interface RuleFit {
  rule: ScenarioRule
  captures: Captures
}

/** The matching rules, in order, each checked only on demand. */
function* findFits(rules: readonly ScenarioRule[], context: MatchContext): Generator<RuleFit> {
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

export interface PracticeDecision {
  reply: Reply
  /** Milliseconds before the reply. */
  wait: number
  /** Call when the reply was not sent completely. */
  undo(): void
}

export class Practice {
  readonly scenario: Scenario
  readonly limit: MovingLimit
  readonly batches: PracticeBatches
  readonly #numbers = new ConversationNumbers()
  /** Number of requests that each fault could have hit: by index in the scenario, or by rule name. */
  readonly #seen = new Map<number | string, number>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.limit = new MovingLimit(scenario.limits)
    this.batches = new PracticeBatches(this)
  }

  /** The fault of the whole server for this request to this path; null: none. */
  globalTrouble(path: string): PracticeFault | null {
    const due = this.scenario.faults.filter((fault, index) => {
      return fault.path.test(path) && faultApplies(fault, this.#next(index), `${this.scenario.seed} ${index}`)
    })
    return due[0]?.trouble ?? null
  }

  /** Answers by the first matching rule, and records it in `entry`. `trouble`: the global fault for the request. */
  answer(request: Dialogue, entry: LoggedRequest, trouble: PracticeFault | null): PracticeDecision {
    const conversation = readConversation(request)
    const numbered = this.#numbers.of(conversation)
    const matchContext: MatchContext = { conversation, numbered, seed: this.scenario.seed }
    const { fit, due } = this.#choose(matchContext, trouble)
    Object.assign(entry, { seed: numbered.number, turn: conversation.turn, rule: fit?.rule.name ?? null })
    if (due !== null) entry.fault = faultName(due)
    const wait = this.#wait(fit?.rule, matchContext)
    const whole = brokenReply(due) ?? fullReply(due, request) ?? this.#reply(request, matchContext, fit)
    const reply = whole.kind === 'message' ? { ...whole, broken: asBroken(due) } : whole
    return { reply, wait, undo: numbered.release }
  }

  /** The first matching rule with a fault due or an answer. */
  #choose(
    matchContext: MatchContext,
    trouble: PracticeFault | null,
  ): { fit: RuleFit | null; due: PracticeFault | null } {
    for (const fit of findFits(this.scenario.rules, matchContext)) {
      const due = trouble ?? this.#ruleTrouble(fit.rule)
      if (due !== null || fit.rule.answer !== undefined) return { fit, due }
    }
    return { fit: null, due: trouble }
  }

  #reply(request: Dialogue, matchContext: MatchContext, fit: RuleFit | null): Reply {
    if (fit === null) return textReply(request, this.#noRule())
    const { rule, captures } = fit
    if (rule.answer === undefined) return textReply(request, `(the rule ${rule.name} has no answer)`)
    try {
      const content = answerContent(rule.answer, material(matchContext, captures), matchContext.numbered)
      return messageReply(request, createMessage(request, content, rule.answer))
    } catch (error) {
      return refusalReply(400, `practice scenario, rule "${rule.name}": ${textOfError(error)}`)
    }
  }

  #noRule(): string {
    const names = this.scenario.rules.map(({ name }) => name).join(', ')
    return `No rule of the practice scenario fits this request. Rules: ${names || 'none'}.`
  }

  #ruleTrouble({ fault, name }: ScenarioRule): PracticeFault | null {
    return fault && faultApplies(fault, this.#next(name), `${this.scenario.seed} ${name}`) ? fault.trouble : null
  }

  #wait(rule: ScenarioRule | undefined, { numbered, conversation }: MatchContext): number {
    const delay = rule?.latency ?? this.scenario.latency
    if (delay === undefined) return 0
    const parts = [this.scenario.seed, numbered.key, numbered.number, conversation.turn]
    return drawDelay(delay, hashToUnit('latency', ...parts), hashToUnit('latency again', ...parts))
  }

  #next(key: number | string): number {
    const number = (this.#seen.get(key) ?? 0) + 1
    this.#seen.set(key, number)
    return number
  }
}

function textReply(request: Dialogue, text: string): Reply {
  return messageReply(request, createMessage(request, [{ type: 'text', text }]))
}

function messageReply({ stream, tools = [] }: Dialogue, message: PracticeMessage): Reply {
  return { kind: 'message', message, tools, stream: stream === true, broken: null }
}

function material({ conversation, numbered }: MatchContext, captures: Captures): Material {
  return { conversation, variables: { ...variables(conversation), seed: String(numbered.number), ...captures } }
}

/** Texts only: handlebars would add adjacent numbers. */
function variables({ results, system, user, last, turn, model, tools }: Conversation): Record<string, unknown> {
  const texts = results.map(({ text }) => text)
  return {
    system,
    user,
    last,
    turn: String(turn),
    model,
    tools,
    results: texts.join('\n'),
    lastResult: texts.at(-1) ?? '',
  }
}

export function faultName(trouble: PracticeFault): string {
  return trouble.kind === 'status' ? `status ${trouble.status}` : trouble.kind
}

/** The reply of a fault without a message; null: it needs a message to break, or the fault is null. */
export function brokenReply(trouble: PracticeFault | null): Reply | null {
  if (trouble?.kind === 'hang') return { kind: 'hang' }
  if (trouble?.kind !== 'status') return null
  const { status, message, retryAfter } = trouble
  return refusalReply(status, message ?? `practice fault: status ${status}`, retryAfter)
}

/** The reply to a conversation that exceeds the model's context; null: it does not. */
function fullReply(trouble: PracticeFault | null, { stream, model }: Dialogue): Reply | null {
  return trouble?.kind === 'context_full' ? { kind: 'context_full', model, stream: stream === true } : null
}

function asBroken(trouble: PracticeFault | null): Breakage | null {
  return trouble !== null && 'events' in trouble ? trouble : trouble?.kind === 'malformed' ? trouble : null
}
