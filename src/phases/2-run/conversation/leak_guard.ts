/** Checks a message of the simulated user: it may tell nothing of the answer key that is in none of its sources. */
import * as z from 'zod'
import type { SimulatedUser } from '../../../../schemas/conversation.ts'
import type { AskOutcome } from '../../../engines/ask/ask.ts'
import type { AskableModel, SaidSoFar } from './partner.ts'
import { buildLeakPrompt } from './user_prompt.ts'

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
): Promise<string[] | Extract<AskOutcome<unknown>, { status: 'error' }>> {
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
