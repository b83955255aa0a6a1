/** The files of report.data/ beside a page. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { sidecar } from '../../phases/4-report/page/pack.ts'

const stamps = z.record(z.string(), z.string())

/** The files beside the page; one whose run has not changed is left as it is, one that is wanted no more goes. */
export class Sidecars {
  readonly #folder: string | null
  readonly #before: Record<string, string>
  readonly #now: Record<string, string> = {}

  constructor(folder: string | null) {
    this.#folder = folder
    this.#before = folder === null ? {} : readStamps(path.join(folder, 'stamps.json'))
  }

  isFresh(key: string, run: string): boolean {
    const stamp = stampOf(run)
    if (this.#folder === null || this.#before[key] !== stamp || !existsSync(this.#file(key))) return false
    this.#now[key] = stamp
    return true
  }

  write(key: string, data: string, run: string | null = null): void {
    if (this.#folder === null) return
    mkdirSync(this.#folder, { recursive: true })
    writeFileSync(this.#file(key), sidecar(key, data))
    this.#now[key] = run === null ? '' : stampOf(run)
  }

  end(): void {
    const folder = this.#folder
    if (folder === null || !existsSync(folder)) return
    const wanted = new Set([...Object.keys(this.#now).map((key) => `${key}.js`), 'stamps.json'])
    if (wanted.size === 1) {
      rmSync(folder, { recursive: true, force: true })
      return
    }
    for (const name of readdirSync(folder))
      if (!wanted.has(name)) rmSync(path.join(folder, name), { force: true, recursive: true })
    writeFileSync(path.join(folder, 'stamps.json'), JSON.stringify(this.#now))
  }

  #file(key: string): string {
    return path.join(this.#folder ?? '', `${key}.js`)
  }
}

function readStamps(file: string): Record<string, string> {
  try {
    return stamps.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}

/** Changes when a run is made or graded anew. */
function stampOf(run: string): string {
  return ['run.json', 'grading.json', 'transcript.jsonl', 'outputs']
    .map((name) => {
      const found = statSync(path.join(run, name), { throwIfNoEntry: false })
      return found === undefined ? '-' : `${found.mtimeMs}:${found.size}`
    })
    .join(' ')
}
