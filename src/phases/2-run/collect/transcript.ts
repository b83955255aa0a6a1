/** Records a run's events: transcript.jsonl as they arrive, then transcript.md for readers, and their counts. */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { type ConversationRecord, numberMessages } from '../../../../schemas/conversation.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { jsonText, textOrJson } from '../../../base/json/json_text.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { withVisibleControls } from '../../../base/text/show_control_characters.ts'
import type { EmittedEvent } from '../../../engines/engine.ts'

export interface EventCounts {
  toolCalls: Record<string, number>
  steps: number
  errors: number
  skillReads: { skill: string; step: number }[]
}

/** Appends events to a file as they arrive, and keeps them. */
export class Transcript implements Disposable {
  readonly events: TranscriptEvent[] = []
  readonly #file: number
  readonly #redactor: Redactor
  #isOpen = true
  #failure: { error: unknown } | null = null

  constructor(file: string, redactor: Redactor) {
    this.#redactor = redactor
    this.#file = openSync(file, 'w')
  }

  add(event: EmittedEvent): void {
    const timed: TranscriptEvent = { ...this.#redactor.value(event), at: new Date().toISOString() }
    this.events.push(timed)
    if (!this.#isOpen || this.#failure !== null) return
    try {
      writeFileSync(this.#file, `${jsonText(timed)}\n`)
    } catch (error) {
      this.#failure = { error }
    }
  }

  /** Accepts no more events. Throws if one could not be written (disk full). */
  end(): void {
    this[Symbol.dispose]()
    if (this.#failure !== null) throw this.#failure.error
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }
}

/** Counts tool calls by name, steps, errors (results marked so, and error events) and skill reads; see schemas/metrics.ts. */
export function countEvents(events: readonly TranscriptEvent[]): EventCounts {
  const calls = new Map<string, number>() // a Map, because agents may name a tool `constructor`
  const counted: Omit<EventCounts, 'toolCalls'> = { steps: 0, errors: 0, skillReads: [] }
  for (const event of events) {
    counted.steps = Math.max(counted.steps, event.step)
    if (event.type === 'tool_call') calls.set(event.name, (calls.get(event.name) ?? 0) + 1)
    if (event.type === 'error' || (event.type === 'tool_result' && event.is_error)) counted.errors += 1
    if (event.type === 'skill_read') counted.skillReads.push({ skill: event.skill, step: event.step })
  }
  return { toolCalls: Object.fromEntries(calls), ...counted }
}

const longest = 100_000

/** The transcript as Markdown, safe to show in a terminal; begins with "## Eval Prompt", as skill-creator's review page expects. */
export function transcriptMarkdown(
  prompt: string,
  events: readonly TranscriptEvent[],
  conversation?: ConversationRecord,
): string {
  return [promptSection(prompt), ...toSections(events, prompt, conversation).map(joinSection)].join('\n')
}

/** First section of transcript.md. */
function promptSection(prompt: string): string {
  return `## Eval Prompt\n\n${withVisibleControls(prompt)}\n`
}

/** Position of an event's text in transcript.md. */
export interface EventPlace {
  event: number
  /** Whether the text equals the event's: no control character is replaced by its code. */
  isExact: boolean
  start: number
  end: number
}

/** Positions of the events' texts in a transcript.md of these events; null: it belongs to other events. */
export function eventPlaces(
  markdown: string,
  events: readonly TranscriptEvent[],
  conversation?: ConversationRecord,
): EventPlace[] | null {
  // the prompt opens the file and is the first user event
  const first = events.find(({ type }) => type === 'user')
  const sections = [first?.type === 'user' ? first.text : null, null]
    .map((prompt) => toSections(events, prompt, conversation))
    .find((some) => markdown.endsWith(some.map(joinSection).join('\n')))
  if (sections === undefined) return null
  const body = sections.map(joinSection).join('\n')
  let at = markdown.length - body.length
  return sections.map((section) => {
    const start = at + section.head.length
    at += joinSection(section).length + 1
    return { event: section.event, isExact: section.isExact, start, end: start + section.text.length }
  })
}

/** Whetstone's words, the event's text, Whetstone's words. */
interface Section {
  event: number
  isExact: boolean
  head: string
  text: string
  tail: string
}

function joinSection({ head, text, tail }: Section): string {
  return `${head}${text}${tail}`
}

/** With a conversation, each message of the user after the prompt has a heading with its number. */
function toSections(
  events: readonly TranscriptEvent[],
  prompt: string | null,
  conversation: ConversationRecord | undefined,
): Section[] {
  const sections: Section[] = []
  const numbers = numberMessages(events, conversation)
  let step = 0
  for (const [index, event] of events.entries()) {
    const number = numbers.get(index)
    const parts = number === undefined ? toSection(event, prompt) : toMessageSection(event, number, prompt)
    if (parts === null) continue
    const [head = '', text = '', tail = ''] = parts.map(withVisibleControls)
    const isExact = text === parts[1]
    const heading = event.step > step ? `## Step ${event.step}\n\n` : ''
    step = Math.max(step, event.step)
    sections.push({ event: index, isExact, head: `${heading}${head}`, text, tail })
  }
  return sections
}

/** The prompt opens the file, so it is not repeated. */
function toMessageSection(
  event: TranscriptEvent,
  number: number,
  prompt: string | null,
): [head: string, text: string, tail: string] | null {
  if (event.type !== 'user' || (number === 1 && event.text === prompt)) return null
  return [`## Message ${number} of the user\n\n`, event.text, '\n']
}

function toSection(event: TranscriptEvent, prompt: string | null): [head: string, text: string, tail: string] | null {
  switch (event.type) {
    case 'system':
      return null
    case 'user':
      return event.text === prompt ? null : ['**User**\n\n', event.text, '\n']
    case 'assistant':
      return ['**Assistant**\n\n', event.text, '\n']
    case 'thinking':
      return ['**Thinking**\n\n', event.text, '\n']
    case 'tool_call':
      return fenceText(`**Tool call** \`${event.name}\``, textOrJson(event.input))
    case 'tool_result':
      return fenceText(`**Tool result** \`${event.name}\`${event.is_error ? ' (error)' : ''}`, event.output)
    case 'skill_read':
      return [`**Skill read** \`${event.skill}\` (through ${event.via})\n`, '', '']
    case 'hook':
      return fenceText(`**Hook** ${event.event}${event.tool ? ` \`${event.tool}\`` : ''}: ${event.outcome}`, event.text)
    case 'error':
      return [`**Error** ${event.kind}: `, event.message, '\n']
    case 'result':
      return ['## Final response\n\n', event.text, '\n']
  }
}

function fenceText(heading: string, text: string): [head: string, text: string, tail: string] {
  const rest = text.length - longest
  const shown = rest > 0 ? text.slice(0, longest) : text
  const more = rest > 0 ? `\n… ${rest} more characters` : ''
  const fence = buildCodeFence(shown)
  return [`${heading}\n\n${fence}\n`, shown, `${more}\n${fence}\n`]
}
