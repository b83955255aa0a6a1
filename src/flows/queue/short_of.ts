/** What a worker's machine is short of: room and the like, or a shared folder that it may write to. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { messageOf } from '../../base/error.ts'
import { isShortage, noRoomIn, whyNotWritten } from '../../base/shortage.ts'
import { placesOf } from '../../store/shared_runs.ts'
import type { Workshop } from './perform_job.ts'

type Places = Pick<Workshop, 'paths' | 'hidden'>

export class Shortness {
  readonly #shop: Places
  /** Folders that were tried when one of them could not be written to. */
  #tried: readonly string[] = []

  constructor(shop: Places) {
    this.#shop = shop
  }

  /** Of a job that was not brought to an end, whatever it met: the shared folder is tried. null: it was none. */
  async of(error: unknown, benchmark: string): Promise<string | null> {
    const tried = placesOf(this.#shop.paths, benchmark)
    const why = await firstRefusal(tried)
    if (why === null) return isShortage(error) ? messageOf(error) : null
    this.#tried = tried
    return why
  }

  /** Before anything is taken; null: the shared folder can be written to. */
  atStart(): Promise<string | null> {
    return firstRefusal([this.#shop.paths.shared])
  }

  async isOver(): Promise<boolean> {
    const tried = this.#tried.filter((folder) => existsSync(folder)) // that of a benchmark which is over is gone
    if ((await noRoomIn([tmpdir(), ...this.#shop.hidden, ...tried])) !== null) return false
    this.#tried = []
    return true
  }
}

async function firstRefusal(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const why = await whyNotWritten(folder)
    if (why !== null) return `the shared folder can't be written to: ${why}`
  }
  return null
}
