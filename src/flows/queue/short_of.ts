/** What a worker's machine is short of: room and the like, or a shared folder that it may write to. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { messageOf } from '../../base/error.ts'
import { isShortage, noRoomIn, whyNotWritten } from '../../base/shortage.ts'
import { placeOf } from '../../store/shared_runs.ts'
import type { Workshop } from './perform_job.ts'

type Places = Pick<Workshop, 'paths' | 'hidden'>

export class Shortness {
  readonly #shop: Places
  /** Folders that could not be written to. */
  readonly #closed = new Set<string>()

  constructor(shop: Places) {
    this.#shop = shop
  }

  /** Of a job that was not brought to an end, whatever it met: the shared folder is tried. null: it was none. */
  async of(error: unknown, benchmark: string): Promise<string | null> {
    return (await this.#refusal(benchmark)) ?? (isShortage(error) ? messageOf(error) : null)
  }

  /** Before anything is taken; null: the shared folder can be written to. */
  atStart(): Promise<string | null> {
    return this.#refusal(null)
  }

  async isOver(): Promise<boolean> {
    for (const folder of this.#closed) {
      // that of a benchmark which is over is gone
      if (existsSync(folder) && (await whyNotWritten(folder)) !== null) return false
    }
    if ((await noRoomIn([tmpdir(), ...this.#shop.hidden])) !== null) return false
    this.#closed.clear()
    return true
  }

  async #refusal(benchmark: string | null): Promise<string | null> {
    const folder = placeOf(this.#shop.paths, benchmark)
    const why = await whyNotWritten(folder)
    if (why === null) return null
    this.#closed.add(folder)
    return `the shared folder can't be written to: ${why}`
  }
}
