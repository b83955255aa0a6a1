/** Follows an agent CLI whose lines are records of one schema: emits transcript events, and keeps what is needed at the end. */
import type * as z from 'zod'
import { type EmitStream, followSkillReads, type SkillReadsRequest } from '../answers/skill_read.ts'
import { OtherLines, readRecordLine } from './json_line.ts'

/** last: nothing that counts follows; enough: it is to be ended now, such as after its last allowed turn; more: it goes on. */
export type AfterLine = 'last' | 'enough' | 'more'

/** Emits events; the fields contain what has been seen so far. */
export abstract class RecordStream<R> {
  /** Model responses so far. */
  step = 0
  lastText = ''
  readonly others: OtherLines

  protected readonly emit: EmitStream
  readonly #record: z.ZodType<R>
  #isClosed = false

  constructor(record: z.ZodType<R>, request: SkillReadsRequest) {
    this.#record = record
    this.emit = followSkillReads(request)
    this.others = new OtherLines(request.emit)
  }

  /** Takes one line of stdout. */
  take(line: string): AfterLine {
    if (this.#isClosed) return 'more'
    const read = readRecordLine(line, this.#record)
    if (read.kind === 'record') return this.takeRecord(read.record, line)
    if (read.kind === 'unreadable' || this.takeOther(read.value)) this.others.keepLine(line, read, this.step)
    return 'more'
  }

  /** Lines that follow are ignored: they only report that the CLI is being ended. */
  close(): void {
    this.#isClosed = true
  }

  protected abstract takeRecord(record: R, line: string): AfterLine

  /** Takes a record that is not of the schema; whether it is kept as an event. */
  protected takeOther(_record: Record<string, unknown>): boolean {
    return true
  }
}
