/** Files: walks that follow no link out, copies, content hashes. */
import { createHash, hash as hashOnce } from 'node:crypto'
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate as immediate } from 'node:timers/promises'
import { codeOf, messageOf } from './error.ts'
import { refuseOdd } from './plain_file.ts'

/** One file of a walk: its path relative to the root (with /), where its content really lies, and its size in bytes. */
export interface WalkedFile {
  path: string
  source: string
  bytes: number
}

export interface Walk {
  files: WalkedFile[]
  /** Links that lead out of the root or into a skipped part, things that are neither file nor folder, what can't be read. */
  leftOut: { path: string; reason: string }[]
}

export interface WalkOptions {
  /** Gets a path relative to the root (with /) and says whether it and all below it are passed over. */
  skip?: (relative: string) => boolean
  /** inside (default): links are resolved, and left out when they lead out of the root or into a skipped part; never: every link is left out. */
  links?: 'inside' | 'never'
  /** throw (default): what can't be read, the root included, rejects; leave_out: it is among the things left out. */
  unreadable?: 'throw' | 'leave_out'
}

/** Every file below `root`, sorted by path. */
export async function walk(root: string, options: WalkOptions = {}): Promise<Walk> {
  const found: Walk = { files: [], leftOut: [] }
  const { skip = () => false, links = 'inside', unreadable = 'throw' } = options
  const orLeaveOut = async (relative: string, step: Promise<void>) => {
    await step.catch((error: unknown) => {
      if (unreadable === 'throw') throw error
      found.leftOut.push({ path: relative || '.', reason: unreadableReason(relative, error) })
    })
  }
  const start = async () => {
    const base = links === 'never' ? path.resolve(root) : realpathSync.native(root) // only a link is compared with it
    await walkInto({ base, skip, links, found, orLeaveOut, ancestors: [] }, base, '')
  }
  await orLeaveOut('', start())
  found.files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return found
}

interface WalkState {
  base: string
  skip: (relative: string) => boolean
  links: 'inside' | 'never'
  found: Walk
  orLeaveOut: (relative: string, step: Promise<void>) => Promise<void>
  ancestors: readonly string[]
}

async function walkInto(state: WalkState, folder: string, prefix: string): Promise<void> {
  for (const [at, entry] of readdirSync(folder, { withFileTypes: true }).entries()) {
    if (at % 250 === 249) await immediate() // a folder of very many files must not stop everything else
    const relative = prefix ? `${prefix}/${entry.name}` : entry.name
    if (state.skip(relative)) continue
    await state.orLeaveOut(relative, takeEntry(state, path.join(folder, entry.name), { entry, relative }))
  }
}

async function takeEntry(state: WalkState, full: string, at: { entry: Dirent; relative: string }): Promise<void> {
  const { relative: name } = at
  const target = resolveEntry(state, full, at.entry.isSymbolicLink())
  if (typeof target === 'string') state.found.leftOut.push({ path: name, reason: target })
  else if (target.isFile) state.found.files.push({ path: name, source: target.real, bytes: target.bytes })
  else await walkInto({ ...state, ancestors: [...state.ancestors, target.real] }, target.real, name)
}

/** Node shows a name that is not UTF-8 with U+FFFD in it, and finds no file of that name. */
function unreadableReason(relative: string, error: unknown): string {
  if (relative.includes('\uFFFD')) return 'its name is not UTF-8'
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'neither a file nor a folder any more'
  return `can't be read: ${code ?? messageOf(error)}`
}

function realpathOf(file: string): string | null {
  try {
    return realpathSync(file)
  } catch {
    return null
  }
}

function resolveEntry(
  state: WalkState,
  full: string,
  isLink: boolean,
): string | { real: string; isFile: boolean; bytes: number } {
  if (isLink && state.links === 'never') return 'a link'
  const real = isLink ? realpathOf(full) : full
  if (real === null) return 'broken link'
  if (isLink) {
    const inside = path.relative(state.base, real)
    if (inside.split(path.sep)[0] === '..' || path.isAbsolute(inside)) return 'a link out of the folder'
    if (skippedPart(inside, state.skip)) return 'a link into a part that is left out'
    if (real === state.base || state.ancestors.includes(real)) return 'a link to a folder above it'
  }
  const info = statSync(real)
  if (!info.isFile() && !info.isDirectory()) return 'neither a file nor a folder'
  return { real, isFile: info.isFile(), bytes: info.size }
}

function skippedPart(inside: string, skip: (relative: string) => boolean): boolean {
  const parts = inside.split(path.sep)
  return parts.some((_, index) => skip(parts.slice(0, index + 1).join('/')))
}

/** Copies every file of a walk below `target`; execute bits are kept, but no file runs as another user than who starts it. */
export async function copyWalk(files: readonly WalkedFile[], target: string): Promise<void> {
  const made = new Set<string>()
  for (const [at, file] of files.entries()) {
    if (at % 250 === 249) await immediate() // as in a walk
    const to = path.join(target, file.path)
    const folder = path.dirname(to)
    if (!made.has(folder)) mkdirSync(folder, { recursive: true })
    made.add(folder)
    await copyOne(file, to)
  }
}

async function copyOne({ source, bytes }: WalkedFile, to: string): Promise<void> {
  const info = statSync(source)
  refuseOdd(source, info)
  const { mode } = info
  // copied with its whole mode and mended then, it would be there for a moment
  if ((mode & special) !== 0) await pipeline(createReadStream(source), createWriteStream(to, { mode: mode & 0o777 }))
  else if (bytes <= atOnce) copyFileSync(source, to)
  else await copyFile(source, to)
}

/** Of a file's mode: setuid, setgid, sticky. */
const special = 0o7000

/** Bytes that are read at once: handing a small file to a thread, or making a stream of it, takes ten times the work. */
const atOnce = 256 * 1024

/** The content of a small file, read at once; null: it is none, and is to be read without stopping everything else. Throws UserError for a pipe or a device. */
export function readSmall(file: string): Buffer | null {
  const info = statSync(file, { throwIfNoEntry: false })
  refuseOdd(file, info)
  return info?.isFile() && info.size <= atOnce ? readFileSync(file) : null
}

/** Hex sha256 of a file's content. Throws UserError for a pipe or a device. */
export async function hashFile(file: string): Promise<string> {
  const small = readSmall(file)
  if (small !== null) return hashOnce('sha256', small, 'hex')
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Hex sha256 over the sorted paths and contents of a walk, and over which of them can be executed. */
export async function hashWalk(files: readonly WalkedFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { path: name, source } of files) {
    hash.update(`${name}\0${await hashFile(source)}\0${isExecutable(source) ? 'x\0' : ''}`)
  }
  return hash.digest('hex')
}

/** By its owner. */
export function isExecutable(file: string): boolean {
  return (statSync(file).mode & 0o100) !== 0
}

/** The plain files below a folder of ours, absolute; links are none. Throws what the file system throws. */
export function plainFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name)
    return entry.isDirectory() ? plainFiles(full) : entry.isFile() ? [full] : []
  })
}

/** Whether something is there under this path. */
export async function exists(file: string): Promise<boolean> {
  return existsSync(file)
}

/** What lies in a folder, by name; nothing where it can't be read. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
