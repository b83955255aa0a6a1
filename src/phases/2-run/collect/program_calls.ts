/** Reads which programs of evals/bin a run called, and writes them to programs.jsonl. */
import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ProgramCall } from '../../../../schemas/program.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'

/** Bytes of the log of one phase that are read: an agent can write to it. */
const mostBytes = 4 * 2 ** 20

export class ProgramCalls {
  readonly #calls: ProgramCall[] = []
  /** Absolute path of the log. */
  readonly #log: string

  constructor(log: string) {
    this.#log = log
  }

  /** Takes the calls since the last time; they belong to this phase. */
  take(phase: ProgramCall['phase']): void {
    this.#calls.push(...parseProgramLog(readLog(this.#log)).map((call) => ({ phase, ...call })))
    rmSync(this.#log, { force: true, recursive: true })
  }

  write(runFolder: string, redactor: Redactor): void {
    const lines = this.#calls.map((call) => `${JSON.stringify(redactor.value(call))}\n`)
    writeFileSync(path.join(runFolder, 'programs.jsonl'), lines.join(''))
  }
}

function readLog(log: string): string {
  try {
    const descriptor = openSync(log, 'r')
    try {
      const bytes = Buffer.alloc(mostBytes)
      return bytes.subarray(0, readSync(descriptor, bytes)).toString('utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return '' // no call, or the agent replaced the file
  }
}

/** Name, number of arguments and arguments of each call, each ended by a zero byte; what does not fit ends the reading. Pure. */
function parseProgramLog(text: string): Omit<ProgramCall, 'phase'>[] {
  const words = text.split('\0').slice(0, -1)
  const calls: Omit<ProgramCall, 'phase'>[] = []
  for (let at = 0; at < words.length; ) {
    const [program = '', count = ''] = words.slice(at, at + 2)
    const end = at + 2 + Number(count)
    if (!/^\d+$/.test(count) || end > words.length) break
    calls.push({ program, args: words.slice(at + 2, end) })
    at = end
  }
  return calls
}
