/** Copies the files that the agent created or changed, within limits; does not follow links. Finds what it saved outside its working folder. */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import picomatch from 'picomatch'
import type { OutputFile, RunRecord } from '../../../../schemas/run.ts'
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, hashFile, type WalkedFile, walk } from '../../../base/fs/files.ts'
import { ignoredFolders } from '../../../base/fs/ignored_folders.ts'
import { findMatchingGroups } from '../../../base/process/find_pattern.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import { listAgentPlaces } from '../../../engines/table.ts'

export const outputLimits = { fileBytes: 20 * 1024 * 1024, totalBytes: 100 * 1024 * 1024, files: 2000 }

/** State of each file before the agent started: path → signature that every write changes. */
export type Snapshot = ReadonlyMap<string, string>

export async function takeSnapshot(cwd: string, parts: OutputParts): Promise<Snapshot> {
  const { files } = await walkOutputs(cwd, parts)
  const signed = await Promise.all(files.map(async (file) => [file.path, await signature(file)] as const))
  return new Map(signed.flatMap(([name, sign]) => (sign === null ? [] : [[name, sign]])))
}

/**
 * Copies what is new or changed since the snapshot into `target`; lists deleted files, and skipped ones with the reason.
 * Does not throw for anything the agent does to its folder, because that is a result.
 */
export async function collectChangedFiles(request: {
  cwd: string
  before: Snapshot
  skillsFolders: readonly string[]
  isHome?: boolean
  target: string
  /** Files from elsewhere that are outputs too, with their paths in `target`; absent: none. */
  outside?: readonly WalkedFile[]
}): Promise<RunRecord['outputs']> {
  const { files, leftOut } = await walkOutputs(request.cwd, request)
  const left_out = [...leftOut]
  const kept: WalkedFile[] = []
  const now = new Set(files.map((file) => file.path))
  const outside = new Set(request.outside)
  let total = 0
  for (const file of [...files, ...outside]) {
    const isOwn = !outside.has(file)
    if (isOwn && request.before.get(file.path) === (await signature(file))) continue
    const reason =
      (!isOwn && now.has(file.path) ? 'the working folder has a file of this path' : null) ??
      exceededLimit({ bytes: file.bytes, total, count: kept.length }) ??
      (await copyReason(file, request.target))
    if (reason !== null) left_out.push({ path: file.path, reason })
    else {
      kept.push(file)
      total += file.bytes
    }
  }
  const missing = [...request.before.keys()].filter((name) => !now.has(name)).sort()
  const isKnown = await Promise.all(missing.map((name) => canBeSeen(path.join(request.cwd, name))))
  return {
    files: await Promise.all(kept.map((file) => describeOutput(file, request))),
    deleted: missing.filter((_, index) => isKnown[index]),
    left_out,
  }
}

/** Copies a folder without links and unreadable files. */
export async function copyPlainFolder(folder: string, target: string): Promise<void> {
  const { files } = await walk(folder, { links: 'never', unreadable: 'leave_out' })
  for (const file of files) await copyReason(file, target)
}

/** Copies a file; returns why it could not (unreadable, path too long). Throws if this machine is short of a resource. */
async function copyReason(file: WalkedFile, target: string): Promise<string | null> {
  return copyWalk([file], target).then(
    () => null,
    (error: unknown) => {
      if (isShortage(error)) throw error
      return `cannot be copied: ${errnoCode(error) ?? errorMessage(error)}`
    },
  )
}

/** False if a folder above it is not accessible: then it is unknown whether the file still exists. */
async function canBeSeen(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error: unknown) => errnoCode(error) !== 'EACCES',
  )
}

async function describeOutput(file: WalkedFile, request: { before: Snapshot; target: string }): Promise<OutputFile> {
  return {
    path: file.path,
    bytes: file.bytes,
    sha256: await hashFile(path.join(request.target, file.path)),
    change: request.before.has(file.path) ? 'modified' : 'created',
  }
}

function exceededLimit(at: { bytes: number; total: number; count: number }): string | null {
  if (at.bytes > outputLimits.fileBytes)
    return `larger than ${outputLimits.fileBytes / 2 ** 20} MiB (${at.bytes} bytes)`
  if (at.total + at.bytes > outputLimits.totalBytes)
    return `all outputs together exceed ${outputLimits.totalBytes / 2 ** 20} MiB`
  return at.count >= outputLimits.files ? `more than ${outputLimits.files} files` : null
}

/** What is no output: the agent's places, and in a home folder the state of programs. */
interface OutputParts {
  skillsFolders: readonly string[]
  isHome?: boolean
}

async function walkOutputs(cwd: string, { skillsFolders, isHome = false }: OutputParts) {
  const agents = new Set(listAgentPlaces(skillsFolders))
  const isState = (relative: string) => isHome && relative.startsWith('.')
  const skip = (relative: string) =>
    agents.has(relative) || isState(relative) || ignoredFolders.has(relative.split('/').at(-1) ?? '')
  return walk(cwd, { skip, links: 'never', unreadable: 'leave_out' })
}

/** null: the file has disappeared. */
async function signature(file: WalkedFile): Promise<string | null> {
  const info = await lstat(file.source, { bigint: true }).catch(() => null)
  return info && `${info.ino}:${info.size}:${info.ctimeNs}`
}

/** State of the home folder before the agent started. Its folder tmp is the run's /tmp. */
export async function takeOutsideSnapshot(home: string): Promise<Snapshot> {
  const files = await listOutsideFiles(home)
  return new Map(await Promise.all(files.map(async (file) => [file.path, (await signature(file)) ?? ''] as const)))
}

interface OutsideFiles {
  /** Paths are those in outputs/: home/report.md, tmp/out/x.csv. */
  wanted: WalkedFile[]
  warnings: string[]
}

/** New and changed files: those that `collect` asks for, and warnings about the others that look like results. */
export async function findOutsideFiles(request: {
  home: string
  before: Snapshot
  collect: readonly string[]
  signal: AbortSignal
}): Promise<OutsideFiles> {
  const changed: WalkedFile[] = []
  for (const file of await listOutsideFiles(request.home)) {
    if (request.before.get(file.path) !== ((await signature(file)) ?? '')) changed.push(file)
  }
  const warnings: string[] = []
  const wanted = new Set<WalkedFile>()
  for (const pattern of request.collect) {
    const found = await matchFiles(pattern, changed, request.signal)
    if ('error' in found) warnings.push(`collect: ${pattern} could not be evaluated: ${found.error}`)
    else for (const file of found.files) wanted.add(file)
  }
  const lost = changed.filter((file) => !wanted.has(file) && isLikelyResult(file)).map((file) => shownPath(file.path))
  return {
    wanted: [...wanted].map((file) => ({ ...file, path: outputPath(file.path) })),
    warnings: [...warnings, ...(lost.length === 0 ? [] : [describeLost(lost)])],
  }
}

/** Hidden files and folders are state of programs, and may contain logins: never collected. */
async function listOutsideFiles(home: string): Promise<WalkedFile[]> {
  const skip = (relative: string) => {
    const name = relative.split('/').at(-1) ?? ''
    // a sandbox mounts temp directories below its /tmp
    return name.startsWith('.') || ignoredFolders.has(name) || /^tmp\/user-\d+[.-]/.test(relative)
  }
  return (await walk(home, { skip, links: 'never', unreadable: 'leave_out' })).files
}

async function matchFiles(pattern: string, files: readonly WalkedFile[], signal: AbortSignal) {
  const exact = files.filter(
    ({ path: name }) => shownPath(name) === pattern || shownPath(name).startsWith(`${pattern}/`),
  )
  if (exact.length > 0 || !picomatch.scan(pattern).isGlob) return { files: exact }
  const { source, flags } = picomatch.makeRe(pattern.replace(/^~/, '/~'), { dot: false })
  const groups = files.map(({ path: name }) => [shownPath(name).replace(/^~/, '/~')])
  const end = await findMatchingGroups({ pattern: source, flags }, groups, signal)
  return 'error' in end ? end : { files: end.value.flatMap((index) => files[index] ?? []) }
}

/** As an author writes it. */
function shownPath(inHome: string): string {
  return inHome.startsWith('tmp/') ? `/${inHome}` : `~/${inHome}`
}

/** Below outputs/. */
function outputPath(inHome: string): string {
  return inHome.startsWith('tmp/') ? inHome : `home/${inHome}`
}

/** What programs leave: caches, locks, logs, and their folders and files of random names. */
const noise = [
  /(^|\/)[^/]*cache[^/]*(\/|$)/i,
  /^(go|snap|Library|node_modules|AppData)\//,
  /^tmp\/(npm|pip|pytest|uv|node|v8|tsx|vitest|jest|claude|codex|opencode|qwen|playwright|puppeteer|com|systemd|tmp)[-_.]/i,
  /^tmp\/tmp[a-z0-9_]{6,10}(\.\w+)?(\/|$)/,
  /\.(lock|log|pid|sock|tmp|temp|swp|pyc|so|node|bak)$/i,
]

/** A file of the home, or one of /tmp with an extension, that is not noise. */
function isLikelyResult({ path: name, bytes }: WalkedFile): boolean {
  if (bytes === 0 || noise.some((pattern) => pattern.test(name))) return false
  return !name.startsWith('tmp/') || /[^/.]\.\w+$/.test(name)
}

const mostNamed = 5

function describeLost(lost: readonly string[]): string {
  const named = lost.slice(0, mostNamed)
  const more = lost.length > named.length ? ` and ${lost.length - named.length} more` : ''
  return `the agent wrote ${named.join(', ')}${more} outside its working folder, which is not collected; if it is a result, add "collect": ${JSON.stringify(named)} to the case`
}
