/** Keeps the lines of an agent CLI that have no meaning for Whetstone, or can't be read, as `system` events of the transcript. */
import { toJsonValue } from '../answers/json_value.ts'
import type { EmittedEvent } from '../engine.ts'
import type { OtherLine, UnreadableLine } from './json_line.ts'

/** The most characters of a line that is kept as JSON, and the most lines that are kept. */
const rawLimit = 20_000
const keptLimit = 200

export class OtherLines {
  /** The last line that was not a JSON object; null: there was none. */
  unreadable: string | null = null
  /** Whether such a line was JSON, but nested too deep to be used. */
  isTooDeep = false

  readonly #emit: (event: EmittedEvent) => void
  #count = 0

  constructor(emit: (event: EmittedEvent) => void) {
    this.#emit = emit
  }

  /** Keeps a line as it was read. */
  keepLine(line: string, read: OtherLine | UnreadableLine, step: number): void {
    if (read.kind === 'unreadable') this.keepUnreadable(line, read, step)
    else this.keep(nameRecord(read.value), { line, value: read.value, step })
  }

  /** Keeps a record; `subtype` names its kind. */
  keep(subtype: string, { line, value, step }: { line: string; value: unknown; step: number }): void {
    this.#keepEvent({ subtype, step }, line.length <= rawLimit ? { raw: toJsonValue(value) } : toText(line))
  }

  keepUnreadable(line: string, { isTooDeep }: UnreadableLine, step: number): void {
    this.unreadable = line
    this.isTooDeep ||= isTooDeep
    this.#keepEvent({ subtype: 'unreadable', step }, toText(line))
  }

  #keepEvent(
    event: { subtype: string; step: number },
    content: { raw: ReturnType<typeof toJsonValue> } | { text: string },
  ) {
    this.#count += 1
    if (this.#count <= keptLimit) this.#emit({ type: 'system', ...event, ...content })
  }
}

/** Its type, with the subtype if there is one. */
export function nameRecord({ type, subtype }: Record<string, unknown>): string {
  return [type, subtype].filter((part) => typeof part === 'string').join('/') || 'unknown'
}

function toText(line: string): { text: string } {
  return { text: line.slice(0, rawLimit) }
}
