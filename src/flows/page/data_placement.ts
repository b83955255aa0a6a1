/** Places packed data: in the page up to a limit, then in files next to it. A single-file page leaves the rest out. */
import path from 'node:path'
import { packValue } from '../../phases/4-report/page/pack.ts'
import { readRunStamp, Sidecars } from './sidecars.ts'

/** 0: left out, 1: in the page, 2: in a file next to it. */
export type PayloadPlace = 0 | 1 | 2

/** Most packed characters of evidence, transcripts and outputs in the page itself. */
export const maxInlineChars = 400_000
const maxSingleFileChars = 30_000_000

/** For a page (absolute). The caller ends `sidecars` after the last put. */
export function openPagePayload(report: string, singleFile: boolean): { carried: PagePayload; sidecars: Sidecars } {
  const sidecars = new Sidecars(singleFile ? null : path.join(path.dirname(report), 'report.data'))
  return {
    sidecars,
    carried: new PagePayload(singleFile ? maxSingleFileChars : maxInlineChars, singleFile ? null : sidecars),
  }
}

export class PagePayload {
  readonly data: { key: string; text: string }[] = []
  /** Keys of data that did not fit. */
  readonly refused: string[] = []
  #used = 0
  readonly #most: number
  readonly #sidecars: Sidecars | null

  /** `most`: packed characters in the page. */
  constructor(most: number, sidecars: Sidecars | null) {
    this.#most = most
    this.#sidecars = sidecars
  }

  /** `run`: the folder that the value is read from; keeps an existing file if it is up to date. */
  put(key: string, value: () => unknown, run: string | null = null): PayloadPlace {
    if (this.#used < this.#most) {
      this.inside(key, packValue(value()))
      return 1
    }
    if (this.#sidecars === null) {
      this.refused.push(key)
      return 0
    }
    if (run !== null && this.#sidecars.isFresh(key, run)) return 2
    this.#sidecars.write(key, packValue(value(), 1), run === null ? '' : readRunStamp(run))
    return 2
  }

  /** Adds to the page regardless of the limit. */
  inside(key: string, text: string): void {
    this.data.push({ key, text })
    this.#used += text.length
  }
}
