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

/** The files beside the page; one whose run has not changed is left as it is, one that is wanted no more goes. */
export class Sidecars {
  readonly #folder: string | null
  readonly #before: ReadonlyMap<string, string>
  readonly #now = new Map<string, string>()
  #isMade = false

  constructor(folder: string | null) {
    this.#folder = folder
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

  write(key: string, data: string, run: string | null = null): void {
    if (this.#folder === null) return
    if (!this.#isMade) mkdirSync(this.#folder, { recursive: true })
    this.#isMade = true
    writeNew(this.#file(key), sidecar(key, data))
    this.#now.set(key, run === null ? '' : stampOf(run))
  }

  end(): void {
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
function writeNew(file: string, text: string | Iterable<string>): void {
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
function stampOf(run: string): string {
  const found = ['run.json', 'grading.json', 'transcript.jsonl', 'outputs'].map((name) => {
    const info = statSync(path.join(run, name), { throwIfNoEntry: false })
    return info === undefined ? '-' : `${info.ctimeMs}:${info.size}`
  })
  return hash('sha256', found.join(' '), 'buffer').toString('base64url', 0, 16) // one of each run is held
}
