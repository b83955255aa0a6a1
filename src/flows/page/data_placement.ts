/** Places packed data: in the page up to a limit, then in files next to it. A single-file page leaves the rest out. */
import { hash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { attempt } from '../../base/errors/attempt.ts'
import { buildSidecarScript, packValue } from '../../phases/4-report/page/shell.ts'

/** Names of these files: Whetstone deletes nothing else in the folder. */
const isSidecarName = (name: string) =>
  /^(run|before|pack|versions|audit)[\w.-]*\.js$/.test(name) || name === 'stamps.json'

const stamps = z.record(z.string(), z.string())
const readStamps = (file: string) => new Map(Object.entries(stamps.parse(JSON.parse(readFileSync(file, 'utf8')))))

/** The page's data files: keeps those whose run has not changed, deletes those that are not needed. */
class Sidecars {
  readonly #folder: string | null
  readonly #before: ReadonlyMap<string, string>
  readonly #now = new Map<string, string>()

  constructor(folder: string | null) {
    this.#folder = folder
    // in a downloaded folder the link may lead anywhere on this machine
    if (folder !== null && isLink(folder)) rmSync(folder)
    this.#before = folder === null ? new Map() : attempt(() => readStamps(path.join(folder, 'stamps.json')), new Map())
  }

  isFresh(key: string, run: string): boolean {
    if (this.#folder === null || !this.#before.has(key)) return false
    const stamp = readRunStamp(run)
    if (this.#before.get(key) !== stamp || !existsSync(this.#file(key))) return false
    this.#now.set(key, stamp)
    return true
  }

  /** `stamp`: identifies the state of the files that the data comes from. */
  write(key: string, data: string, stamp = ''): void {
    if (this.#folder === null) return
    mkdirSync(this.#folder, { recursive: true })
    writeNewFile(this.#file(key), buildSidecarScript(key, data))
    this.#now.set(key, stamp)
  }

  end(): void {
    const folder = this.#folder
    if (folder === null || !existsSync(folder)) return
    const names = readdirSync(folder)
    const gone = names.filter((name) => isSidecarName(name) && !this.#now.has(name.replace(/\.js$/, '')))
    for (const name of gone) rmSync(path.join(folder, name), { force: true, recursive: true })
    if (this.#now.size > 0) {
      writeNewFile(path.join(folder, 'stamps.json'), JSON.stringify(Object.fromEntries(this.#now)))
    } else if (names.length === gone.length) rmdirSync(folder)
  }

  #file(key: string): string {
    return path.join(this.#folder ?? '', `${key}.js`)
  }
}

function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Replaces a link instead of writing through it. */
function writeNewFile(file: string, text: string): void {
  if (isLink(file)) rmSync(file)
  writeFileSync(file, text)
}

/** Changes when a run is repeated or regraded, and when the folder is copied: the ctime of a copy is unpredictable. */
function readRunStamp(run: string): string {
  const found = ['run.json', 'grading.json', 'transcript.jsonl', 'outputs'].map((name) => {
    const info = statSync(path.join(run, name), { throwIfNoEntry: false })
    return info === undefined ? '-' : `${info.ctimeMs}:${info.size}`
  })
  return hash('sha256', found.join(' '), 'buffer').toString('base64url', 0, 16)
}

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
