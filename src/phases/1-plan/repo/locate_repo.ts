/** Checks the `repo` of a case: which repository it means, and whether a suite may name it. Fetches nothing. */
import { closeSync, existsSync, lstatSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RepoSource, RepoStart } from '../../../../schemas/repo.ts'
import { attempt } from '../../../base/errors/attempt.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { openRegularFile, readRegularFile } from '../../../base/fs/special_files.ts'
import { findRepositoryTop } from '../skill/skill_links.ts'

/** `reasons`: why the case cannot run; empty: none. `root`: the skill's folder, absolute. */
export function locateRepo(given: RepoStart, root: string): { repo: RepoSource | null; reasons: string[] } {
  const named = typeof given === 'string' ? { name: given } : readName(given)
  const { ref = null, subdir = null } = typeof given === 'string' ? {} : given
  const reason = findRefusal(named.name, ref, subdir)
  if (reason !== null) return { repo: null, reasons: [`repo ${JSON.stringify(named.name)}: ${reason}`] }
  const shared = { ref, subdir, given }
  const place = toLocalPath(named.name, root)
  if (place === null) return { repo: { source: named.name, kind: 'url', ...shared }, reasons: [] }
  if (!existsSync(place)) {
    return { repo: null, reasons: [`repo ${JSON.stringify(named.name)}: no such folder or file (looked for ${place})`] }
  }
  const source = realpathSync(place)
  const isOwn = isOwnPlace(source, root)
  if (isOwn && statSync(source).isFile() && !isBundle(source))
    return { repo: null, reasons: [`repo ${JSON.stringify(named.name)}: not a git bundle`] }
  const outside = !(isOwn && holdsItsObjects(source, root)) && { outside: true as const }
  return { repo: { source, kind: 'path', ...shared, ...outside }, reasons: [] }
}

function readName(given: Exclude<RepoStart, string>): { name: string } {
  if ('url' in given) return { name: given.url }
  return { name: 'path' in given ? given.path : given.bundle }
}

const schemes = ['https', 'http', 'ssh', 'file']

/** null: nothing speaks against it. Some forms let git start a program that the suite names. */
function findRefusal(name: string, ref: string | null, subdir: string | null): string | null {
  if (name.startsWith('-') || ref?.startsWith('-')) return 'begins with -, which git would read as an option'
  if (/^[\w+.-]*::/.test(name)) return 'a remote helper, which is a program that git starts: use an https or ssh URL'
  if ([name, ref, subdir].some((text) => text?.includes('\0') || text?.includes('\n')))
    return 'contains a line end or NUL'
  const scheme = /^([\w+.-]+):\/\//.exec(name)?.[1]
  if (scheme !== undefined && !schemes.includes(scheme.toLowerCase())) {
    return `unknown scheme "${scheme}", expected one of ${schemes.join(', ')}`
  }
  if (/^https?:\/\/[^/]*@/i.test(name) || /^ssh:\/\/[^/@]*:[^/@]*@/i.test(name)) {
    return 'has credentials in it, which every reader of the suite would see: use a credential helper of git'
  }
  const inner = subdir === null ? null : path.posix.normalize(subdir)
  if (inner !== null && (path.posix.isAbsolute(inner) || inner.split('/')[0] === '..')) {
    return `subdir ${JSON.stringify(subdir)} leads out of the repository`
  }
  return null
}

/** null: it is on another machine. */
function toLocalPath(name: string, root: string): string | null {
  if (/^file:\/\//i.test(name)) return tryFilePath(name) ?? path.resolve(root, name)
  // as in git: a colon before the first slash names a host
  if (/^\w+:\/\//.test(name) || (/^[^/]+:/.test(name) && !existsSync(path.resolve(root, name)))) return null
  return path.resolve(root, name)
}

function tryFilePath(url: string): string | null {
  return attempt(() => fileURLToPath(url), null)
}

function isBundle(file: string): boolean {
  const handle = openRegularFile(file)
  if (handle === null) return false
  try {
    const head = Buffer.alloc(32)
    return /^# v\d+ git bundle\n/.test(head.toString('latin1', 0, readSync(handle, head)))
  } finally {
    closeSync(handle)
  }
}

/** Whether git reads everything of this repository in places that the suite may name: a file or a link in it can lead to another one. */
function holdsItsObjects(source: string, root: string): boolean {
  if (!statSync(source).isDirectory()) return true
  const named = path.join(source, '.git')
  const folder = existsSync(named) ? readGitFolder(named) : source
  if (folder === null || !isGitFolder(folder)) return false // git would go on and look at other names
  if (!isOwnPlace(folder, root)) return namesBack(folder, source)
  const leadsOn = ['commondir', 'objects/info/alternates'].some((name) => existsSync(path.join(folder, name)))
  return (
    !leadsOn &&
    ['HEAD', 'packed-refs', 'shallow', 'refs', 'objects'].every((name) => hasNoLink(path.join(folder, name)))
  )
}

/** Whether git takes it for a repository; a worktree's has its objects elsewhere. */
function isGitFolder(folder: string): boolean {
  const has = (name: string) => existsSync(path.join(folder, name))
  const head = has('HEAD') ? readRegularFile(path.join(folder, 'HEAD')).toString('utf8').trim() : ''
  const isHead = /^(?:ref: refs\/[^\n]+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)
  return isHead && (has('commondir') || (has('objects') && has('refs')))
}

function hasNoLink(place: string): boolean {
  const info = lstatSync(place, { throwIfNoEntry: false })
  if (!info?.isDirectory()) return !info?.isSymbolicLink()
  return readdirSync(place, { recursive: true, withFileTypes: true }).every((entry) => !entry.isSymbolicLink())
}

/** The folder that `.git` is, or that the file `.git` names. */
function readGitFolder(named: string): string | null {
  const real = realpathSync(named)
  if (statSync(real).isDirectory()) return real
  const written = /^gitdir: (.+?)[\r\n]*$/.exec(readRegularFile(real).toString('utf8'))?.[1]
  const folder = written === undefined ? null : path.resolve(path.dirname(named), written)
  return folder !== null && existsSync(folder) ? realpathSync(folder) : null
}

/** Whether this folder of git's names the repository as its own, as that of a worktree or a submodule does: then the user's git made both. */
function namesBack(folder: string, source: string): boolean {
  const read = (name: string) => {
    const file = path.join(folder, name)
    return existsSync(file) ? readRegularFile(file).toString('utf8') : ''
  }
  const ofWorktree = read('gitdir').trim()
  const ofSubmodule = /^\s*worktree = (.+)$/m.exec(read('config'))?.[1]
  const places = [ofWorktree === '' ? null : path.dirname(ofWorktree), ofSubmodule ?? null]
  return places.some((place) => {
    const at = path.resolve(folder, place ?? '')
    return place !== null && existsSync(at) && realpathSync(at) === source
  })
}

/** Within the skill's folder, or within the git repository that contains the skill. */
function isOwnPlace(source: string, root: string): boolean {
  const top = findRepositoryTop(realpathSync(root))
  return isInsideFolder(root, source) || (top !== null && isInsideFolder(top, source))
}
