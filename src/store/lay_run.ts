/** Lays a cached run out and moves it to its place. In a thread of its own too: it loads nothing but what it needs. */
import { constants, copyFileSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../base/durable.ts'
import { codeOf } from '../base/error.ts'

/** Small files as they are, by path relative to the run's folder; large ones where they lie. */
export interface LaidFiles {
  small: ReadonlyMap<string, Uint8Array>
  /** Of the small ones. */
  executable: readonly string[]
  large: readonly { path: string; source: string }[]
}

export interface Laying extends LaidFiles {
  /** Texts that stand in the place of files, or beside them. */
  replaced: ReadonlyMap<string, string>
  /** Where it is laid, absolute; what lies there of an earlier try gives way. */
  aside: string
  /** Where it is moved by one rename, absolute; a run that lies there gives way. */
  target: string
}

/** A text and the file that is to hold it, absolute. */
export interface LaidFile {
  file: string
  text: string
}

/** Each of them whole at once, in a folder that is made with all above it. Not synced. */
export function layFiles(files: readonly LaidFile[]): void {
  const there = new Set<string>()
  for (const { file, text } of files) {
    const folder = path.dirname(file)
    if (!there.has(folder)) mkdirSync(folder, { recursive: true })
    there.add(folder).add(path.dirname(folder))
    writeWhole(file, text)
  }
}

/** Throws what the file system throws. By the thousand: no call that looks before it acts. */
export function layRun({ small, executable, large, replaced, aside, target }: Laying): void {
  makeAnew(aside)
  mkdirSync(`${aside}/outputs`)
  const made = new Set(['.', 'outputs'])
  const place = (name: string) => {
    const parent = path.posix.dirname(name)
    if (!made.has(parent)) mkdirSync(path.join(aside, parent), { recursive: true })
    made.add(parent)
    return `${aside}/${name}`
  }
  for (const [name, data] of small) {
    if (!replaced.has(name)) writeFileSync(place(name), data, { mode: executable.includes(name) ? 0o777 : 0o666 })
  }
  for (const { path: name, source } of large) linkOrCopy(source, place(name))
  for (const [name, text] of replaced) writeFileSync(place(name), text)
  moveTo(aside, target)
}

/** A link where the file system has them, else a copy (shared where it can be). */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  }
}

function makeAnew(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') rmSync(folder, { recursive: true })
    else if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true })
  }
}

function moveTo(laid: string, target: string): void {
  try {
    renameSync(laid, target)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') mkdirSync(path.dirname(target), { recursive: true })
    else if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') rmSync(target, { recursive: true })
    else throw error
    renameSync(laid, target)
  }
}
