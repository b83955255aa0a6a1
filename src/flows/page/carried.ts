/** Where packed data goes: into the page as long as there is room, then beside it; a page that is all of it has no beside. */
import path from 'node:path'
import { packed } from '../../phases/4-report/page/pack.ts'
import type { PackedDetail } from './packed_detail.ts'
import { Sidecars, stampOf, type Writer } from './sidecars.ts'

/** 0: nowhere, 1: in the page, 2: in a file beside it. */
export type Where = 0 | 1 | 2

/** Packed characters of evidence, transcripts and outputs that lie in the page itself. */
export const inPage = 400_000
const inSingleFile = 30_000_000

/** For a page (absolute): `sidecars` is to be ended when all is put. `writer`: who writes them beside other work. */
export function carriedFor(
  report: string,
  singleFile: boolean,
  writer: Writer | null = null,
): { carried: Carried; sidecars: Sidecars } {
  const sidecars = new Sidecars(singleFile ? null : path.join(path.dirname(report), 'report.data'), writer)
  return { sidecars, carried: new Carried(singleFile ? inSingleFile : inPage, singleFile ? null : sidecars) }
}

export class Carried {
  readonly data: { key: string; text: string }[] = []
  /** Keys of what had no room. */
  readonly refused: string[] = []
  #used = 0
  readonly #most: number
  readonly #sidecars: Sidecars | null

  /** `most`: packed characters in the page. */
  constructor(most: number, sidecars: Sidecars | null) {
    this.#most = most
    this.#sidecars = sidecars
  }

  /**
   * `run`: the folder that the value is read from; a file that was made of it and is fresh is left as it is. `ahead`: what was
   * packed of it before; it counts as long as the run is the same.
   */
  put(key: string, value: () => unknown, run: string | null = null, ahead?: PackedDetail): Where {
    const isInside = this.#used < this.#most
    const still = ahead !== undefined && run !== null && stampOf(run) === ahead.stamp ? ahead : null
    if (isInside) {
      this.inside(key, still?.text ?? packed(value()))
      return 1
    }
    if (this.#sidecars === null) {
      this.refused.push(key)
      return 0
    }
    if (run !== null && this.#sidecars.isFresh(key, run)) return 2
    if (still !== null) this.#sidecars.hand(key, still.text, still.stamp)
    else this.#sidecars.write(key, packed(value(), 1), run === null ? '' : stampOf(run))
    return 2
  }

  /** Whatever room there is. */
  inside(key: string, text: string): void {
    this.data.push({ key, text })
    this.#used += text.length
  }
}
