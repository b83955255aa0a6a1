/** Tracks the capabilities that a worker recently lacked; its note reports them to other workers. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { QueueNeeds } from '../../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'

/** Why a record failed because of the worker and not the run; null: it did not. With an account every worker has the same key. */
export function findMissingCapability(record: RunRecord, account: QueueNeeds['account']): string | null {
  if (record.status !== 'failed') return null
  const { kind, message } = record.error
  const isLack = kind === 'missing_binary' || (kind === 'credentials' && account === null)
  return isLack ? `${kind}: ${message}` : null
}

/** What a run needs besides its queue's needs: for the engine `command`, each program counts separately. */
export function capabilityKey(queue: string, engine: EngineChoice): string {
  return sha256(canonicalJson([queue, engine])).slice(0, 16)
}

/** Milliseconds; a missing capability may be available later. */
const usualMs = 30_000

export class MissingCapabilities {
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

  /** Capabilities missing within that time. */
  recent(): string[] {
    const least = performance.now() - this.#ms
    for (const [asked, since] of this.#since) if (since < least) this.#since.delete(asked)
    return [...this.#since.keys()]
  }
}
