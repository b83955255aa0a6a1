/** Detects resource shortages of a worker: disk space and the like, or a read-only shared folder. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { errorMessage } from '../../../base/errors/error.ts'
import { isShortage, whyNoDiskSpace, whyNotWritten } from '../../../base/process/resource_shortage.ts'
import { writableAttemptFolder } from '../../../store/shared/shared_runs.ts'
import type { WorkerServices } from './perform_job.ts'

type Places = Pick<WorkerServices, 'paths' | 'hidden'>

export class ResourceShortage {
  readonly #services: Places
  /** Folders that were not writable. */
  readonly #closed = new Set<string>()

  constructor(services: Places) {
    this.#services = services
  }

  /** The shortage behind a job's failure; always tests the shared folder. null: none. */
  async of(error: unknown, benchmark: string): Promise<string | null> {
    return (await this.#refusal(benchmark)) ?? (isShortage(error) ? errorMessage(error) : null)
  }

  /** Before the first job; null: the shared folder is writable. */
  atStart(): Promise<string | null> {
    return this.#refusal(null)
  }

  async isOver(): Promise<boolean> {
    for (const folder of this.#closed) {
      // a finished benchmark's folder does not exist
      if (existsSync(folder) && (await whyNotWritten(folder)) !== null) return false
    }
    if ((await whyNoDiskSpace([tmpdir(), ...this.#services.hidden])) !== null) return false
    this.#closed.clear()
    return true
  }

  async #refusal(benchmark: string | null): Promise<string | null> {
    const folder = writableAttemptFolder(this.#services.paths, benchmark)
    const why = await whyNotWritten(folder)
    if (why === null) return null
    this.#closed.add(folder)
    return `the shared folder can't be written to: ${why}`
  }
}
