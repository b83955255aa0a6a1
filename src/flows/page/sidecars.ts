/** The files of report.data/ beside a page. */
import { hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { sidecar } from '../../phases/4-report/page/pack.ts'

/** Names of these files: nothing else in the folder is ours to take away. */
const isOurs = (name: string) => /^(run|before|pack|versions|audit)[\w.-]*\.js$/.test(name) || name === 'stamps.json'

const stamps = z.record(z.string(), z.string())

/** A file to be written in the place of what lies there. */
export interface NewFile {
  file: string
  text: string
}

/** Who writes files beside other work; false: they are to be written here. */
export interface Writer {
  write(files: readonly NewFile[]): Promise<boolean>
}

/** Files that are handed over together. */
const batch = 64

/** The files beside the page; one whose run has not changed is left as it is, one that is wanted no more goes. */
export class Sidecars {
  readonly #folder: string | null
  readonly #before: ReadonlyMap<string, string>
  readonly #now = new Map<string, string>()
  #isMade = false
  readonly #writer: Writer | null
  #handed: NewFile[] = []
  readonly #underWay: Promise<void>[] = []

  /** `writer`: to whom what was packed before is handed; null: nobody. */
  constructor(folder: string | null, writer: Writer | null = null) {
    this.#folder = folder
    this.#writer = writer
    // in a folder that somebody gave away it may lead to anything of this machine's
    if (folder !== null && isLink(folder)) rmSync(folder)
    this.#before = folder === null ? new Map() : readStamps(path.join(folder, 'stamps.json'))
  }

  isFresh(key: string, run: string): boolean {
    if (this.#folder === null || !this.#before.has(key)) return false
    const stamp = stampOf(run)
    if (this.#before.get(key) !== stamp || !existsSync(this.#file(key))) return false
    this.#now.set(key, stamp)
    return true
  }

  /** `stamp`: of the files that the data is read from. */
  write(key: string, data: string, stamp = ''): void {
    if (this.#folder === null) return
    this.#make()
    writeNew(this.#file(key), sidecar(key, data))
    this.#now.set(key, stamp)
  }

  /** The same, at the latest when all of it ends. */
  hand(key: string, data: string, stamp: string): void {
    if (this.#folder === null || this.#writer === null) {
      this.write(key, data, stamp)
      return
    }
    this.#make()
    this.#handed.push({ file: this.#file(key), text: sidecar(key, data) })
    this.#now.set(key, stamp)
    if (this.#handed.length >= batch) this.#handOver(this.#writer)
  }

  #handOver(writer: Writer): void {
    const files = this.#handed
    this.#handed = []
    const written = writer.write(files).then((isDone) => {
      if (!isDone) for (const { file, text } of files) writeNew(file, text)
    })
    written.catch(() => {}) // thrown where it is waited for
    this.#underWay.push(written)
  }

  #make(): void {
    if (!this.#isMade && this.#folder !== null) mkdirSync(this.#folder, { recursive: true })
    this.#isMade = true
  }

  async end(): Promise<void> {
    if (this.#writer !== null && this.#handed.length > 0) this.#handOver(this.#writer)
    await Promise.all(this.#underWay)
    const folder = this.#folder
    if (folder === null || !existsSync(folder)) return
    const [gone, isEmpty] = this.#gone(folder)
    for (const name of gone) rmSync(path.join(folder, name), { force: true, recursive: true })
    if (this.#now.size > 0) writeNew(path.join(folder, 'stamps.json'), recordText(this.#now))
    else if (isEmpty) rmdirSync(folder)
  }

  /** Of our files in the folder those that are wanted no more, and whether there are no others; their names are never all in memory. */
  #gone(folder: string): [names: string[], isEmpty: boolean] {
    const gone: string[] = []
    let others = 0
    const there = opendirSync(folder)
    try {
      for (let one = there.readSync(); one !== null; one = there.readSync()) {
        if (isOurs(one.name) && !this.#now.has(one.name.replace(/\.js$/, ''))) gone.push(one.name)
        else others += 1
      }
    } finally {
      there.closeSync()
    }
    return [gone, others === 0]
  }

  #file(key: string): string {
    return path.join(this.#folder ?? '', `${key}.js`)
  }
}

function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** In the place of a link, never through it. */
export function writeNew(file: string, text: string | Iterable<string>): void {
  if (isLink(file)) rmSync(file)
  const handle = openSync(file, 'w')
  try {
    for (const part of typeof text === 'string' ? [text] : text) writeFileSync(handle, part)
  } finally {
    closeSync(handle)
  }
}

/** The JSON of a record, a thousand entries at a time. */
function* recordText(entries: ReadonlyMap<string, string>): Generator<string> {
  let part = '{'
  let count = 0
  for (const [key, value] of entries) {
    part += `${count === 0 ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`
    count += 1
    if (count % 1000 !== 0) continue
    yield part
    part = ''
  }
  yield `${part}}`
}

function readStamps(file: string): ReadonlyMap<string, string> {
  try {
    return new Map(Object.entries(stamps.parse(JSON.parse(readFileSync(file, 'utf8')))))
  } catch {
    return new Map()
  }
}

/** Changes when a run is made or graded anew, and when the folder is copied: who gives one away cannot know the ctime that it will get. */
export function stampOf(run: string): string {
  const found = ['run.json', 'grading.json', 'transcript.jsonl', 'outputs'].map((name) => {
    const info = statSync(path.join(run, name), { throwIfNoEntry: false })
    return info === undefined ? '-' : `${info.ctimeMs}:${info.size}`
  })
  return hash('sha256', found.join(' '), 'buffer').toString('base64url', 0, 16) // one of each run is held
}
