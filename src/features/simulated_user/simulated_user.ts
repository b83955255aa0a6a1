/** A user that a model plays, whose messages a guard checks: it may not tell the agent what is in the answer key. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { defaultUserTurns, type SimulatedUser } from '../../../schemas/conversation.ts'
import { createDataFence, foldLines } from '../../base/text/fence.ts'
import type { EngineError } from '../../engines/engine.ts'
import { type FailedAsk, toUserError } from '../../phases/2-run/conversation/open_partner.ts'
import type {
  AskableModel,
  NextMessage,
  Partner,
  SaidSoFar,
  SimulatedUserRequest,
} from '../../phases/2-run/conversation/partner.ts'

const userAnswer = z
  .object({
    facts_used: z.array(z.number().int()).describe('numbers of the facts that the message tells'),
    message: z.string(),
    done: z.enum(['goal_met', 'stop']).nullable(),
  })
  .refine(({ message, done }) => done !== null || message.trim() !== '', 'message is empty, and done is null')

export function playUser({ user, answerKey, model }: SimulatedUserRequest): Partner {
  let askedAgain = 0
  const ask = async (request: UserPromptRequest, signal: AbortSignal): Promise<NextMessage> => {
    const outcome = await model.ask(buildUserPrompt(request), userAnswer, signal)
    if (outcome.status === 'error') return { kind: 'failed', error: toUserError(outcome, 'gave no message') }
    const { message, done } = outcome.value
    return done === null ? { kind: 'message', text: message.trim() } : { kind: 'ended', why: done }
  }
  return {
    async next(dialogue, signal) {
      const { turns } = dialogue
      if (turns.length > (user.max_turns ?? defaultUserTurns)) return { kind: 'ended', why: 'max_turns' }
      const findIn = (message: string) => findLeaks({ message, user, dialogue, answerKey }, model, signal)
      const first = await ask({ user, turns }, signal)
      if (first.kind !== 'message') return first
      const found = await findIn(first.text)
      if ('error' in found) return failUnchecked(found)
      if (found.length === 0) return first
      askedAgain += 1
      const second = await ask({ user, turns, refused: { message: first.text, found } }, signal)
      if (second.kind !== 'message') return second
      const left = await findIn(second.text)
      if ('error' in left) return failUnchecked(left)
      return left.length === 0 ? second : { kind: 'failed', error: describeLeak(left) }
    },
    asked: () => ({ ...model.asked(), asked_again: askedAgain }),
  }
}

function failUnchecked(failed: FailedAsk): NextMessage {
  return { kind: 'failed', error: toUserError(failed, 'did not say whether the message leaks') }
}

function describeLeak(found: readonly string[]): EngineError {
  const message = `the simulated user gave away what it cannot know, also when asked again: ${found.join('; ')}`
  return { kind: 'user_leak', message, retryable: false, retryAfterMs: null }
}

export interface GuardedMessage {
  message: string
  user: SimulatedUser
  dialogue: SaidSoFar
  answerKey: readonly string[]
}

const leakAnswer = z.object({
  leaks: z.boolean(),
  quote: z.string().describe('the words of the message that tell it; empty: none'),
})

/** What is too much in the message, in plain words for the model that wrote it; empty: nothing. The rule decides first, then one question. */
export async function findLeaks(
  guarded: GuardedMessage,
  model: Pick<AskableModel, 'ask'>,
  signal: AbortSignal,
): Promise<string[] | FailedAsk> {
  const { message, answerKey } = guarded
  if (answerKey.length === 0) return []
  const details = findKeyDetails(guarded)
  if (details.length > 0) return [`details that you do not know: ${details.join('; ')}`]
  const sources = listSources(guarded)
  const outcome = await model.ask(buildLeakPrompt({ message, sources, answerKey }), leakAnswer, signal)
  if (outcome.status === 'error') return outcome
  const { leaks, quote } = outcome.value
  if (!leaks) return []
  // a quote of anything else could show the answer key to the model that plays the user
  return [`words that are not yours: ${quote !== '' && message.includes(quote) ? quote : message}`]
}

/** Numbers, identifiers, names and quotations of six words that the message and the answer key have and no source has. */
export function findKeyDetails(guarded: GuardedMessage): string[] {
  const message = normalise(guarded.message)
  const key = guarded.answerKey.map(normalise).join('\n')
  const keyWords = joinWords(key)
  const known = joinWords(listSources(guarded).map(normalise).join('\n'))
  const details = [...listQuotes(message), ...listTokens(message), ...listNames(message, key)]
  return [...new Set(details)].filter((one) => keyWords.includes(joinWords(one)) && !known.includes(joinWords(one)))
}

function listSources({ user, dialogue }: GuardedMessage): string[] {
  const { goal, facts = [], persona = '', stop = '' } = user
  return [goal, ...facts, persona, stop, ...dialogue.turns.flatMap(({ prompt, answer }) => [prompt, answer])]
}

/** Without invisible characters, which could split a word, and without separators of thousands. */
function normalise(text: string): string {
  const visible = text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
  return visible.replaceAll(/(?<![\d.,])\d{1,3}(?:[.,'’ ]\d{3})+(?!\d)/g, (one) => one.replaceAll(/\D/g, ''))
}

/** The words with a space on either side of each, to look for some of them in a row. */
function joinWords(text: string): string {
  return ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu)
      ?.join(' ') ?? ''
  } `
}

/** Words in a row that are no accident. */
const quoteLength = 6

function listQuotes(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.map((_, at) => words.slice(at, at + quoteLength).join(' ')).slice(0, 1 - quoteLength)
}

/** Numbers and identifiers, such as 48213.70, TP533, fare_class and total.mjs. A single digit is in too many texts to tell anything. */
function listTokens(text: string): string[] {
  const tokens = text.match(/[\p{L}\p{N}_]+(?:[-./@:][\p{L}\p{N}_]+)*/gu) ?? []
  return tokens.filter((one) => /\d.*\d|\p{L}\d|_|\p{Ll}\p{Lu}|\p{L}{2}\.\p{L}/u.test(one))
}

/** Words of names in the key, which are two capitals in a row within a sentence: German writes every noun with one. */
function listNames(message: string, key: string): string[] {
  const names = key.match(/(?<=[\p{Ll}\d,;] )\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)+/gu) ?? []
  const said = new Set(message.match(/\p{L}[\p{L}'’-]*/gu))
  return names.flatMap((name) => name.split(' ')).filter((word) => said.has(word))
}

const compile = (name: string) =>
  Handlebars.compile(readFileSync(new URL(name, import.meta.url), 'utf8'), { strict: true, noEscape: true })
const userTemplate = compile('./user_prompt.md')
const leakTemplate = compile('./leak_prompt.md')

export interface UserPromptRequest {
  user: SimulatedUser
  turns: readonly { prompt: string; answer: string }[]
  /** The message that the guard refused, and what it found; absent: first question. */
  refused?: { message: string; found: readonly string[] }
}

export function buildUserPrompt({ user, turns, refused }: UserPromptRequest): string {
  const { goal, facts = [], persona = '', stop = '' } = user
  const texts = turns.flatMap(({ prompt, answer }) => [prompt, answer])
  const fence = createDataFence([...texts, ...(refused === undefined ? [] : [refused.message])])
  return userTemplate({
    goal: foldLines(goal),
    persona: foldLines(persona),
    stop: foldLines(stop),
    hasFacts: facts.length > 0,
    facts: facts.map((text, index) => ({ n: index + 1, text: foldLines(text) })),
    fenceNote: fence.told,
    turns: turns.map(({ prompt, answer }) => ({ prompt: fence.around(prompt), answer: fence.around(answer) })),
    refused: refused !== undefined && {
      message: fence.around(refused.message),
      found: refused.found.map((one) => foldLines(one)),
    },
  })
}

export interface LeakPromptRequest {
  message: string
  sources: readonly string[]
  answerKey: readonly string[]
}

export function buildLeakPrompt({ message, sources, answerKey }: LeakPromptRequest): string {
  const fence = createDataFence([message, ...sources, ...answerKey])
  return leakTemplate({
    fenceNote: fence.told,
    sources: fence.around(sources.filter((text) => text !== '').join('\n\n')),
    answerKey: fence.around(answerKey.join('\n\n')),
    message: fence.around(message),
  })
}
