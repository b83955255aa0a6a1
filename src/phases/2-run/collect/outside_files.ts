/** Finds what an agent saved outside its working folder, in its home and in /tmp: to collect it, or to warn that it is lost. */
import { lstat } from 'node:fs/promises'
import picomatch from 'picomatch'
import { type WalkedFile, walk } from '../../../base/fs/files.ts'
import { ignoredFolders } from '../../../base/fs/ignored_folders.ts'
import { findMatchingGroups } from '../../../base/process/find_pattern.ts'
import type { Snapshot } from './collect_outputs.ts'

/** State of the home folder before the agent started. Its folder tmp is the run's /tmp. */
export async function takeOutsideSnapshot(home: string): Promise<Snapshot> {
  const files = await listOutsideFiles(home)
  return new Map(await Promise.all(files.map(async (file) => [file.path, await signature(file)] as const)))
}

export interface OutsideFiles {
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
    if (request.before.get(file.path) !== (await signature(file))) changed.push(file)
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
    return name.startsWith('.') || ignoredFolders.has(name) || relative.startsWith('tmp/whetstone-')
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

async function signature(file: WalkedFile): Promise<string> {
  const info = await lstat(file.source, { bigint: true }).catch(() => null)
  return info === null ? '' : `${info.ino}:${info.size}:${info.ctimeNs}`
}
