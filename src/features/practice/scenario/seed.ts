/** Makes repeats differ, but equally in every benchmark: conversations are numbered, and chance depends on the number. */
import { createHash } from 'node:crypto'
import type { Conversation } from '../conversation.ts'

/** Differences between conversations that a reader would call the same. */
const noise: readonly [RegExp, string][] = [
  [/<system-reminder>[\s\S]*?<\/system-reminder>/g, ''],
  [/^x-anthropic-[^\n]*$/gm, ''],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>'],
  [/\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?/g, '<date>'],
  [/\b\d+(?:\.\d+)? ?ms\b/g, '<ms>'],
  [/(?<![\w.)\]}])\/(?:[\w.@+-]+\/)*[\w.@+-]+\/?/g, '<path>'],
]

/** Equal for conversations with the same system prompt and first user text, apart from paths, ids and times. */
export function conversationKey({ system, user }: Conversation): string {
  const text = noise.reduce((rest, [regex, by]) => rest.replace(regex, by), `${system}\n\0${user}`)
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

export interface ConversationNumber {
  key: string
  number: number
  /** Frees the number when the conversation's first response never arrived: the client will start over. */
  release(): void
}

export class ConversationNumbers {
  readonly #taken = new Map<string, Set<number>>()

  /** The number in the ids of its tool calls; else, for a first response, the lowest free one; else 0. */
  of(conversation: Conversation): ConversationNumber {
    const key = conversationKey(conversation)
    const carried = conversation.calls.map(({ id }) => /^(?:toolu|call)_[0-9a-f]{8}_(\d+)_/.exec(id)?.[1]).find(Boolean)
    if (carried !== undefined || conversation.turn > 1) return { key, number: Number(carried ?? 0), release() {} }
    const taken = this.#taken.get(key) ?? new Set<number>()
    this.#taken.set(key, taken)
    let number = 0
    while (taken.has(number)) number += 1
    taken.add(number)
    return { key, number, release: () => void taken.delete(number) }
  }
}

/** The id of a tool call, which carries the conversation's number to later turns. */
export function toolUseId({ key, number }: ConversationNumber, turn: number, index: number): string {
  return `toolu_${key}_${number}_${turn}_${index}`
}

/** A number in [0, 1) from texts and numbers, the same every time. */
export function hashToUnit(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(parts.join('\0')).digest()
  return digest.readUInt32BE(0) / 2 ** 32
}

const goldenRatio = (Math.sqrt(5) - 1) / 2

/** True for the fraction `p` of the numbers 0, 1, 2, …, spread evenly (a golden-ratio sequence from `start`). */
export function evenChance(p: number, number: number, start: number): boolean {
  return (start + number * goldenRatio) % 1 < p
}
