/** Walks folders without following links out of them, copies files and hashes their content. */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  type Dirent,
  existsSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate as immediate } from 'node:timers/promises'
import { attempt } from '../errors/attempt.ts'
import { errnoCode, errorMessage } from '../errors/error.ts'
import { isSubpath } from './inside_folder.ts'
import { assertRegularFile } from './special_files.ts'

/** One file of a walk: path relative to the root (with /), absolute path of its content with links resolved, size in bytes. */
export interface WalkedFile {
  path: string
  source: string
  bytes: number
}

export interface Walk {
  files: WalkedFile[]
  /** Links out of the root or into a skipped part, special files, and what can't be read. */
  leftOut: LeftOut[]
}

/** `target`: of a link out of the root, absolute; of a broken link, as written. */
export interface LeftOut {
  path: string
  reason: string
  target?: string
}

export interface WalkOptions {
  /** Gets a path relative to the root (with /); true skips it and everything below it. */
  skip?: (relative: string) => boolean
  /** inside (default): resolves links, and skips those out of the root or into a skipped part; never: skips every link. */
  links?: 'inside' | 'never'
  /** Links out of the root to follow all the same; absent: none. */
  outside?: OutsideLinks
  /** throw (default): rejects for what can't be read, the root included; leave_out: lists it in `leftOut`. */
  unreadable?: 'throw' | 'leave_out'
}

export interface OutsideLinks {
  /** Whether the link at this path (relative to the root) is followed to its target (absolute). */
  follows: (relative: string, target: string) => boolean
  /** Whether the target (absolute) is a part that is skipped. */
  hides: (target: string) => boolean
  /** Called with the bytes of each file behind such links; throws to end the walk. */
  count: (relative: string, bytes: number) => void
}

/** Reason of a link that is not followed because it leads out of the root. */
export const linkOutReason = 'a link out of the folder'
export const brokenLinkReason = 'broken link'

/** Every file below `root`, sorted by path. */
export async function walk(root: string, options: WalkOptions = {}): Promise<Walk> {
  const found: Walk = { files: [], leftOut: [] }
  const { skip = () => false, links = 'inside', unreadable = 'throw', outside } = options
  const orLeaveOut = async (relative: string, step: Promise<void>) => {
    await step.catch((error: unknown) => {
      if (unreadable === 'throw') throw error
      found.leftOut.push({ path: relative || '.', reason: unreadableReason(relative, error) })
    })
  }
  const start = async () => {
    const base = links === 'never' ? path.resolve(root) : realpathSync.native(root) // only link targets are compared with it
    await walkInto({ base, skip, links, outside, found, orLeaveOut, ancestors: [], isOutside: false }, base, '')
  }
  await orLeaveOut('', start())
  found.files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return found
}

interface WalkState {
  base: string
  skip: (relative: string) => boolean
  links: 'inside' | 'never'
  outside: OutsideLinks | undefined
  found: Walk
  orLeaveOut: (relative: string, step: Promise<void>) => Promise<void>
  ancestors: readonly string[]
  /** Whether a followed link has led out of the root. */
  isOutside: boolean
}

async function walkInto(state: WalkState, folder: string, prefix: string): Promise<void> {
  for (const [at, entry] of readdirSync(folder, { withFileTypes: true }).entries()) {
    if (at % 250 === 249) await immediate() // other work must continue during the walk of a very large folder
    const relative = prefix ? `${prefix}/${entry.name}` : entry.name
    if (state.skip(relative)) continue
    await state.orLeaveOut(relative, takeEntry(state, path.join(folder, entry.name), { entry, relative }))
  }
}

/** Bytes of the longest path: deeper files could not be copied to a longer path, and recursion has an end. */
const longestPath = 1000

async function takeEntry(state: WalkState, full: string, at: { entry: Dirent; relative: string }): Promise<void> {
  const { relative: name } = at
  if (Buffer.byteLength(name) > longestPath) {
    state.found.leftOut.push({ path: name, reason: `its path is longer than ${longestPath} bytes` })
    return
  }
  const target = resolveEntry(state, full, { isLink: at.entry.isSymbolicLink(), name })
  if ('reason' in target) {
    state.found.leftOut.push({ path: name, ...target })
    return
  }
  const isOutside = state.isOutside || target.leadsOut
  if (target.isFile) {
    if (isOutside) state.outside?.count(name, target.bytes)
    state.found.files.push({ path: name, source: target.real, bytes: target.bytes })
    return
  }
  const inner = { ...state, isOutside, ancestors: [...state.ancestors, target.real] }
  // what is hidden at the top of the root is also hidden at the top of a folder that a link brings in
  const skip = (below: string) => state.skip(below) || state.skip(below.slice(name.length + 1))
  await walkInto(target.leadsOut ? { ...inner, skip } : inner, target.real, name)
}

/** Node shows a name that is not UTF-8 with U+FFFD in it, and finds no file of that name. */
function unreadableReason(relative: string, error: unknown): string {
  if (relative.includes('\uFFFD')) return 'its name is not UTF-8'
  const code = errnoCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'neither a file nor a folder any more'
  return `can't be read: ${code ?? errorMessage(error)}`
}

type ResolvedEntry = Omit<LeftOut, 'path'> | { real: string; isFile: boolean; bytes: number; leadsOut: boolean }

function resolveEntry(
  state: WalkState,
  full: string,
  { isLink, name }: { isLink: boolean; name: string },
): ResolvedEntry {
  if (isLink && state.links === 'never') return { reason: 'a link' }
  const real = isLink ? attempt(() => realpathSync(full), null) : full
  if (real === null) return { reason: brokenLinkReason, target: readlinkSync(full) }
  const reason = isLink ? whyNotFollowed(state, name, real) : null
  if (reason !== null) return { reason, ...(!isSubpath(real, state.base) && { target: real }) }
  const info = statSync(real)
  if (!info.isFile() && !info.isDirectory()) return { reason: 'neither a file nor a folder' }
  return { real, isFile: info.isFile(), bytes: info.size, leadsOut: isLink && !isSubpath(real, state.base) }
}

/** null: the link is followed to `real`. */
function whyNotFollowed(state: WalkState, name: string, real: string): string | null {
  const { base, outside, ancestors, skip } = state
  const above = 'a link to a folder above it'
  if (isSubpath(real, base)) {
    const parts = path.relative(base, real).split(path.sep)
    if (parts.some((_, index) => skip(parts.slice(0, index + 1).join('/'))))
      return 'a link into a part that is left out'
    return real === base || ancestors.includes(real) ? above : null
  }
  if (outside === undefined || !outside.follows(name, real)) return linkOutReason
  if (isSubpath(base, real) || ancestors.includes(real)) return above
  return outside.hides(real) ? 'a link into a part that is left out' : null
}

/**
 * Copies every file of a walk below `target`. Keeps execute bits, but drops setuid: a copy always runs as the user who starts it, and
 * its owner can read it.
 */
export async function copyWalk(files: readonly WalkedFile[], target: string): Promise<void> {
  for (const { path: name, source } of files) {
    const to = path.join(target, name)
    await mkdir(path.dirname(to), { recursive: true })
    await copyOne(source, to)
  }
}

async function copyOne(source: string, to: string): Promise<void> {
  const info = statSync(source)
  assertRegularFile(source, info)
  // copyFile would keep the special bits for a moment
  if ((info.mode & special) === 0 && (info.mode & 0o400) !== 0) await copyFile(source, to)
  else await pipeline(createReadStream(source), createWriteStream(to, { mode: (info.mode & 0o777) | 0o400 }))
}

/** Bits of a file's mode: setuid, setgid, sticky. */
const special = 0o7000

/** Hex sha256 of a file's content. Throws UserError for a pipe or a device. */
export async function hashFile(file: string): Promise<string> {
  assertRegularFile(file)
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Hex sha256 over the sorted paths and contents of a walk, and over which files are executable. */
export async function hashWalk(files: readonly WalkedFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { path: name, source } of files) {
    hash.update(`${name}\0${await hashFile(source)}\0${isExecutable(source) ? 'x\0' : ''}`)
  }
  return hash.digest('hex')
}

export function isExecutable(file: string): boolean {
  return (statSync(file).mode & 0o100) !== 0
}

/** The plain files below a folder of Whetstone's, absolute, without links. Throws what the file system throws. */
export function listPlainFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name)
    return entry.isDirectory() ? listPlainFiles(full) : entry.isFile() ? [full] : []
  })
}

export async function pathExists(file: string): Promise<boolean> {
  return existsSync(file)
}

export function listEntries(folder: string): Dirent[] {
  const found: Dirent[] = attempt(() => readdirSync(folder, { withFileTypes: true }), [])
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
