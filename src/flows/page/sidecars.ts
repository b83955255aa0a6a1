/** The files of report.data/ beside a page. */
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
import { z } from 'zod'
import { sidecar } from '../../phases/4-report/page/pack.ts'

/** Names of these files: nothing else in the folder is ours to take away. */
const isOurs = (name: string) => /^(run|before|pack|versions|audit)[\w.-]*\.js$/.test(name) || name === 'stamps.json'

const stamps = z.record(z.string(), z.string())

/** The files beside the page; one whose run has not changed is left as it is, one that is wanted no more goes. */
export class Sidecars {
  readonly #folder: string | null
  readonly #before: Record<string, string>
  readonly #now: Record<string, string> = {}
  #isMade = false

  constructor(folder: string | null) {
    this.#folder = folder
    // in a folder that somebody gave away it may lead to anything of this machine's
    if (folder !== null && isLink(folder)) rmSync(folder)
    this.#before = folder === null ? {} : readStamps(path.join(folder, 'stamps.json'))
  }

  isFresh(key: string, run: string): boolean {
    if (this.#folder === null || this.#before[key] === undefined) return false
    const stamp = stampOf(run)
    if (this.#before[key] !== stamp || !existsSync(this.#file(key))) return false
    this.#now[key] = stamp
    return true
  }

  write(key: string, data: string, run: string | null = null): void {
    if (this.#folder === null) return
    if (!this.#isMade) mkdirSync(this.#folder, { recursive: true })
    this.#isMade = true
    writeNew(this.#file(key), sidecar(key, data))
    this.#now[key] = run === null ? '' : stampOf(run)
  }

  end(): void {
    const folder = this.#folder
    if (folder === null || !existsSync(folder)) return
    const wanted = new Set(Object.keys(this.#now).map((key) => `${key}.js`))
    const gone = readdirSync(folder).filter((name) => isOurs(name) && !wanted.has(name))
    for (const name of gone) rmSync(path.join(folder, name), { force: true, recursive: true })
    if (wanted.size > 0) writeNew(path.join(folder, 'stamps.json'), JSON.stringify(this.#now))
    else if (readdirSync(folder).length === 0) rmdirSync(folder)
  }

  #file(key: string): string {
    return path.join(this.#folder ?? '', `${key}.js`)
  }
}

function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** In the place of a link, never through it. */
function writeNew(file: string, text: string): void {
  if (isLink(file)) rmSync(file)
  writeFileSync(file, text)
}

function readStamps(file: string): Record<string, string> {
  try {
    return stamps.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}

/** Changes when a run is made or graded anew, and when the folder is copied: who gives one away cannot know the ctime that it will get. */
function stampOf(run: string): string {
  return ['run.json', 'grading.json', 'transcript.jsonl', 'outputs']
    .map((name) => {
      const found = statSync(path.join(run, name), { throwIfNoEntry: false })
      return found === undefined ? '-' : `${found.ctimeMs}:${found.size}`
    })
    .join(' ')
}
