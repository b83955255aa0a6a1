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

  /** Ends the file. Throws when an event could not be written (disk full). */
  close(): void {
    this.end()
    if (this.#failure !== null) throw this.#failure.error
  }
}

/** Tool calls by name, steps, errors (tool results marked so, plus error events) and skill reads; definitions in schemas/metrics.ts. */
export function countEvents(events: readonly TranscriptEvent[]): Counted {
  const counted: Counted = { toolCalls: {}, steps: 0, errors: 0, skillReads: [] }
  for (const event of events) {
    counted.steps = Math.max(counted.steps, event.step)
    if (event.type === 'tool_call') counted.toolCalls[event.name] = (counted.toolCalls[event.name] ?? 0) + 1
    if (event.type === 'error' || (event.type === 'tool_result' && event.is_error)) counted.errors += 1
    if (event.type === 'skill_read') counted.skillReads.push({ skill: event.skill, step: event.step })
  }
  return counted
}

const longest = 100_000

/** The transcript as Markdown; "## Eval Prompt" comes first, as skill-creator's review page expects. */
export function transcriptMarkdown(prompt: string, events: readonly TranscriptEvent[]): string {
  const parts = [`## Eval Prompt\n\n${prompt}\n`]
  let step = 0
  for (const event of events) {
    const body = section(event, prompt)
    if (body === null) continue
    if (event.step > step) {
      step = event.step
      parts.push(`## Step ${step}\n`)
    }
    parts.push(body)
  }
  return parts.join('\n')
}

function section(event: TranscriptEvent, prompt: string): string | null {
  switch (event.type) {
    case 'system':
      return null
    case 'user':
      return event.text === prompt ? null : `**User**\n\n${event.text}\n`
    case 'assistant':
      return `**Assistant**\n\n${event.text}\n`
    case 'thinking':
      return `**Thinking**\n\n${event.text}\n`
    case 'tool_call':
      return `**Tool call** \`${event.name}\`\n\n${fenced(inputText(event.input))}\n`
    case 'tool_result':
      return `**Tool result** \`${event.name}\`${event.is_error ? ' (error)' : ''}\n\n${fenced(event.output)}\n`
    case 'skill_read':
      return `**Skill read** \`${event.skill}\` (through ${event.via})\n`
    case 'hook':
      return `**Hook** ${event.event}${event.tool ? ` \`${event.tool}\`` : ''}: ${event.outcome}\n\n${fenced(event.text)}\n`
    case 'error':
      return `**Error** ${event.kind}: ${event.message}\n`
    case 'result':
      return `## Final response\n\n${event.text}\n`
  }
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2)
}

/** A code fence longer than any run of backticks inside. */
function fenced(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}\n… ${text.length - longest} more characters` : text
  const runs = [...cut.matchAll(/`{3,}/g)].map(([run]) => run.length)
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
  return `${fence}\n${cut}\n${fence}`
}
