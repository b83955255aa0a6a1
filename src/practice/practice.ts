/** The practice model itself: decides what a request gets, knowing nothing of sockets. */
import { messageOf as textOfError } from '../base/error.ts'
import type { Material } from './compute.ts'
import { type Conversation, readConversation } from './conversation.ts'
import { draw } from './delay.ts'
import type { Dialogue, PracticeMessage } from './dialogue.ts'
import { strikes, type Trouble } from './fault.ts'
import { MovingLimit } from './limits.ts'
import type { LoggedRequest } from './log.ts'
import { type Captures, type Fit, fits, type Scene } from './match.ts'
import { answerContent, messageOf } from './message.ts'
import { type Broken, type Reply, refusal } from './reply.ts'
import type { Rule, Scenario } from './scenario.ts'
import { Numbers, unit } from './seed.ts'

export interface Decision {
  reply: Reply
  /** Milliseconds before the reply. */
  wait: number
  /** To be called when the reply did not go out whole. */
  undo(): void
}

export class Practice {
  readonly scenario: Scenario
  readonly limit: MovingLimit
  readonly #numbers = new Numbers()
  /** How many requests each fault could have struck: by place in the scenario, or by rule name. */
  readonly #seen = new Map<number | string, number>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.limit = new MovingLimit(scenario.limits)
  }

  /** A fault of the whole server that strikes a request of this path now. */
  globalTrouble(path: string): Trouble | null {
    const due = this.scenario.faults.filter((fault, index) => {
      return fault.path.test(path) && strikes(fault, this.#next(index), `${this.scenario.seed} ${index}`)
    })
    return due[0]?.trouble ?? null
  }

  /** Answers by the first rule that fits; `entry` is told which. `trouble`: what a global fault does to it. */
  answer(request: Dialogue, entry: LoggedRequest, trouble: Trouble | null): Decision {
    const conversation = readConversation(request)
    const numbered = this.#numbers.of(conversation)
    const scene: Scene = { conversation, numbered, seed: this.scenario.seed }
    const { fit, due } = this.#choose(scene, trouble)
    Object.assign(entry, { seed: numbered.number, turn: conversation.turn, rule: fit?.rule.name ?? null })
    if (due !== null) entry.fault = faultName(due)
    const wait = this.#wait(fit?.rule, scene)
    const whole = brokenReply(due) ?? this.#reply(request, scene, fit)
    const reply = whole.kind === 'message' ? { ...whole, broken: asBroken(due) } : whole
    return { reply, wait, undo: numbered.release }
  }

  /** The first rule that fits and has something to give: its fault, when that strikes, or its answer. */
  #choose(scene: Scene, trouble: Trouble | null): { fit: Fit | null; due: Trouble | null } {
    for (const fit of fits(this.scenario.rules, scene)) {
      const due = trouble ?? this.#ruleTrouble(fit.rule)
      if (due !== null || fit.rule.answer !== undefined) return { fit, due }
    }
    return { fit: null, due: trouble }
  }

  #reply(request: Dialogue, scene: Scene, fit: Fit | null): Reply {
    if (fit === null) return textReply(request, this.#noRule())
    const { rule, captures } = fit
    if (rule.answer === undefined) return textReply(request, `(the rule ${rule.name} has no answer)`)
    try {
      const content = answerContent(rule.answer, material(scene, captures), scene.numbered)
      return messageReply(request, messageOf(request, content, rule.answer))
    } catch (error) {
      return refusal(400, `practice scenario, rule "${rule.name}": ${textOfError(error)}`)
    }
  }

  #noRule(): string {
    const names = this.scenario.rules.map(({ name }) => name).join(', ')
    return `No rule of the practice scenario fits this request. Rules: ${names || 'none'}.`
  }

  #ruleTrouble({ fault, name }: Rule): Trouble | null {
    return fault && strikes(fault, this.#next(name), `${this.scenario.seed} ${name}`) ? fault.trouble : null
  }

  #wait(rule: Rule | undefined, { numbered, conversation }: Scene): number {
    const delay = rule?.latency ?? this.scenario.latency
    if (delay === undefined) return 0
    const parts = [this.scenario.seed, numbered.key, numbered.number, conversation.turn]
    return draw(delay, unit('latency', ...parts), unit('latency again', ...parts))
  }

  #next(key: number | string): number {
    const number = (this.#seen.get(key) ?? 0) + 1
    this.#seen.set(key, number)
    return number
  }
}

function textReply(request: Dialogue, text: string): Reply {
  return messageReply(request, messageOf(request, [{ type: 'text', text }]))
}

function messageReply({ stream, tools = [] }: Dialogue, message: PracticeMessage): Reply {
  return { kind: 'message', message, tools, stream: stream === true, broken: null }
}

function material({ conversation, numbered }: Scene, captures: Captures): Material {
  return { conversation, variables: { ...variables(conversation), seed: String(numbered.number), ...captures } }
}

/** All texts: handlebars would add numbers that stand side by side. */
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

/** How the log names a fault. */
export function faultName(trouble: Trouble): string {
  return trouble.kind === 'status' ? `status ${trouble.status}` : trouble.kind
}

/** The reply that a fault makes by itself; null: it needs a message to break, or there is no fault. */
export function brokenReply(trouble: Trouble | null): Reply | null {
  if (trouble?.kind === 'hang') return { kind: 'hang' }
  if (trouble?.kind !== 'status') return null
  const { status, message, retryAfter } = trouble
  return refusal(status, message ?? `practice fault: status ${status}`, retryAfter)
}

function asBroken(trouble: Trouble | null): Broken | null {
  return trouble !== null && 'events' in trouble ? trouble : trouble?.kind === 'malformed' ? trouble : null
}
