/** What a worker was found to lack lately, told to the others by its note on the board. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { QueueNeeds } from '../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'

/** Why it is the worker, not the run, that a record has failed of; null: it is not. With an account every worker has the same key. */
export function lackOf(record: RunRecord, account: QueueNeeds['account']): string | null {
  if (record.status !== 'failed') return null
  const { kind, message } = record.error
  const isLack = kind === 'missing_binary' || (kind === 'credentials' && account === null)
  return isLack ? `${kind}: ${message}` : null
}

/** What a run asks of a worker besides the needs of its queue: of the engine `command` each program is one of its own. */
export function askedFor(queue: string, engine: EngineChoice): string {
  return sha256(canonicalJson([queue, engine])).slice(0, 16)
}

/** What was lacking may be there a while later. */
const usualMs = 30_000

export class Lacks {
  readonly #ms: number
  readonly #since = new Map<string, number>()

  constructor(ms = usualMs) {
    this.#ms = ms
  }

  add(asked: string): void {
    this.#since.set(asked, performance.now())
  }

  delete(asked: string): void {
    this.#since.delete(asked)
  }

  /** Those of the last while. */
  recent(): string[] {
    const least = performance.now() - this.#ms
    for (const [asked, since] of this.#since) if (since < least) this.#since.delete(asked)
    return [...this.#since.keys()]
  }
}
