/** Follows the tool calls of one run: a call and its result are reported in pieces, and some agents report no input. */
import { type EmitStream, followSkillReads, type SkillReadsRequest } from '../../engines/answers/skill_read.ts'
import type { ToolCallRecord } from './records.ts'

/** Characters of a result that are kept. */
const outputLimit = 1024 * 1024

interface OpenCall {
  record: ToolCallRecord
  /** Name of the tool; null: the call has not been emitted. */
  shown: string | null
  step: number
}

export class ToolCalls {
  readonly #emit: EmitStream
  /** Calls that were emitted. */
  count = 0

  readonly #open = new Map<string, OpenCall>()

  constructor(request: SkillReadsRequest) {
    this.#emit = followSkillReads(request)
  }

  /** Calls without a result. */
  get open(): number {
    return this.#open.size
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** Takes a piece of a call. True if the call has ended. */
  take(piece: ToolCallRecord, step: number): boolean {
    const before = this.#open.get(piece.toolCallId)
    const call = before ?? { record: piece, shown: null, step }
    call.record = before === undefined ? piece : merge(before.record, piece)
    this.#open.set(piece.toolCallId, call)
    const { status } = call.record
    const hasEnded = status === 'completed' || status === 'failed'
    if (hasEnded || (status === 'in_progress' && before !== undefined)) this.show(piece.toolCallId)
    if (hasEnded) this.#end(call)
    return hasEnded
  }

  /** Emits the call, once: its input is complete. Returns the name of its tool. */
  show(id: string): string {
    const call = this.#open.get(id)
    if (call === undefined) return 'tool'
    if (call.shown !== null) return call.shown
    const { name, input } = describeCall(call.record)
    call.shown = name
    this.count += 1
    this.#emit({ type: 'tool_call', step: call.step, id, name, input })
    return name
  }

  /** Emits the calls that never ended. */
  showAll(): void {
    for (const id of this.#open.keys()) this.show(id)
  }

  /** Calls that had no result when their turn ended get none. */
  forgetOpen(): void {
    this.#open.clear()
  }

  #end({ record, shown, step }: OpenCall): void {
    const id = record.toolCallId
    this.#open.delete(id)
    const isError = record.status === 'failed' || hasExitCode(record.rawOutput)
    const output = resultText(record).slice(0, outputLimit)
    this.#emit({ type: 'tool_result', step, id, name: shown ?? 'tool', output, is_error: isError })
  }
}

/** A later piece replaces what it contains; the first title may be the tool's name, so it is kept. */
function merge(before: ToolCallRecord, piece: ToolCallRecord): ToolCallRecord {
  return {
    ...before,
    status: piece.status ?? before.status,
    kind: before.kind ?? piece.kind,
    name: piece.name ?? before.name,
    content: piece.content ?? before.content,
    locations: piece.locations ?? before.locations,
    rawInput: piece.rawInput ?? before.rawInput,
    rawOutput: piece.rawOutput ?? before.rawOutput,
  }
}

/** By the protocol only the title is certain. A title of one word is the tool's name; otherwise the kind of tool names it. */
function describeCall({ name, title, kind, rawInput, locations }: ToolCallRecord): { name: string; input: unknown } {
  const word = title && /^[\w.-]+$/.test(title) ? title : null
  const places = locations && locations.length > 0 ? { locations: locations.map((one) => one.path) } : {}
  return { name: name ?? word ?? kind ?? 'tool', input: rawInput ?? { title: title ?? '', ...places } }
}

function resultText({ content, rawOutput }: ToolCallRecord): string {
  const texts = (content ?? []).map(contentText).filter((text) => text !== '')
  if (texts.length > 0) return texts.join('\n')
  if (rawOutput === undefined || rawOutput === null) return ''
  return typeof rawOutput === 'string' ? rawOutput : (JSON.stringify(rawOutput) ?? '')
}

/** A text, or a file that was changed. */
function contentText(part: unknown): string {
  const content = readField(part, 'content')
  const text = readField(content, 'text')
  if (typeof text === 'string') return text
  const file = readField(part, 'path')
  return typeof file === 'string' ? `changed ${file}` : ''
}

/** Whether the output of a command contains an exit code other than 0, in one of the places where agents put it. */
function hasExitCode(output: unknown): boolean {
  const ends = readField(output, 'contents')
  const places = [output, readField(output, 'metadata'), ...(Array.isArray(ends) ? ends : [])]
  return places.some((place) =>
    ['exit', 'exitCode', 'exit_code'].some((name) => {
      const code = readField(place, name)
      return typeof code === 'number' && code !== 0
    }),
  )
}

function readField(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object'
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}
