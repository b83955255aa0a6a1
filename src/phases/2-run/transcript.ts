/** Collects a run's events: transcript.jsonl as they come, then transcript.md to read, and what they count up to. */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Redactor } from '../../base/redact.ts'
import type { EmittedEvent } from '../../engines/engine.ts'

export interface Counted {
  toolCalls: Record<string, number>
  steps: number
  errors: number
  skillReads: { skill: string; step: number }[]
}

/** Writes events to a file as they come, at once, and keeps them. */
export class Transcript {
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
      writeFileSync(this.#file, `${JSON.stringify(timed)}\n`)
    } catch (error) {
      this.#failure = { error }
    }
  }

  /** Ends the file; may be called again. */
  end(): void {
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }

  /** Takes no more events; gives the descriptor, which is the taker's to close. Throws when an event could not be written (disk full). */
  handOver(): number {
    if (this.#failure !== null) throw this.#failure.error
    this.#isOpen = false
    return this.#file
  }
}

/** Tool calls by name, steps, errors (tool results marked so, plus error events) and skill reads; definitions in schemas/metrics.ts. */
export function countEvents(events: readonly TranscriptEvent[]): Counted {
  const calls = new Map<string, number>() // an agent may name a tool as it likes, such as `constructor`
  const counted: Omit<Counted, 'toolCalls'> = { steps: 0, errors: 0, skillReads: [] }
  for (const event of events) {
    counted.steps = Math.max(counted.steps, event.step)
    if (event.type === 'tool_call') calls.set(event.name, (calls.get(event.name) ?? 0) + 1)
    if (event.type === 'error' || (event.type === 'tool_result' && event.is_error)) counted.errors += 1
    if (event.type === 'skill_read') counted.skillReads.push({ skill: event.skill, step: event.step })
  }
  return { toolCalls: Object.fromEntries(calls), ...counted }
}

const longest = 100_000

/** The transcript as Markdown; "## Eval Prompt" comes first, as skill-creator's review page expects. */
export function transcriptMarkdown(prompt: string, events: readonly TranscriptEvent[]): string {
  return [`## Eval Prompt\n\n${prompt}\n`, ...sectionsOf(events, prompt).map(textOf)].join('\n')
}

/** Where the text of an event stands in transcript.md. */
export interface EventPlace {
  /** Index of the event. */
  event: number
  start: number
  end: number
}

/** Where each event's text stands in a transcript.md that was made of these events; null: it was made of others. */
export function eventPlaces(markdown: string, events: readonly TranscriptEvent[]): EventPlace[] | null {
  // the task opens the file, and is the first that the user says
  const first = events.find(({ type }) => type === 'user')
  const sections = [first?.type === 'user' ? first.text : null, null]
    .map((prompt) => sectionsOf(events, prompt))
    .find((some) => markdown.endsWith(some.map(textOf).join('\n')))
  if (sections === undefined) return null
  const body = sections.map(textOf).join('\n')
  let at = markdown.length - body.length
  return sections.map((section) => {
    const start = at + section.head.length
    at += textOf(section).length + 1
    return { event: section.event, start, end: start + section.text.length }
  })
}

/** Our words, what the event says, our words again. */
interface Section {
  event: number
  head: string
  text: string
  tail: string
}

function textOf({ head, text, tail }: Section): string {
  return `${head}${text}${tail}`
}

function sectionsOf(events: readonly TranscriptEvent[], prompt: string | null): Section[] {
  const sections: Section[] = []
  let step = 0
  for (const [index, event] of events.entries()) {
    const parts = sectionOf(event, prompt)
    if (parts === null) continue
    const [head, text, tail] = parts
    const heading = event.step > step ? `## Step ${event.step}\n\n` : ''
    step = Math.max(step, event.step)
    sections.push({ event: index, head: `${heading}${head}`, text, tail })
  }
  return sections
}

function sectionOf(event: TranscriptEvent, prompt: string | null): [head: string, text: string, tail: string] | null {
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
      return fenced(`**Tool call** \`${event.name}\``, inputText(event.input))
    case 'tool_result':
      return fenced(`**Tool result** \`${event.name}\`${event.is_error ? ' (error)' : ''}`, event.output)
    case 'skill_read':
      return [`**Skill read** \`${event.skill}\` (through ${event.via})\n`, '', '']
    case 'hook':
      return fenced(`**Hook** ${event.event}${event.tool ? ` \`${event.tool}\`` : ''}: ${event.outcome}`, event.text)
    case 'error':
      return [`**Error** ${event.kind}: `, event.message, '\n']
    case 'result':
      return ['## Final response\n\n', event.text, '\n']
  }
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2)
}

/** In a code fence longer than any run of backticks inside. */
function fenced(heading: string, text: string): [head: string, text: string, tail: string] {
  const rest = text.length - longest
  const shown = rest > 0 ? text.slice(0, longest) : text
  const more = rest > 0 ? `\n… ${rest} more characters` : ''
  const runs = [...shown.matchAll(/`{3,}/g)].map(([run]) => run.length)
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
  return [`${heading}\n\n${fence}\n`, shown, `${more}\n${fence}\n`]
}
