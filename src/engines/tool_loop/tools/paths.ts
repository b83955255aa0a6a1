/** Resolves the paths that the model gives to where they really lead, and checks that the tool may go there. */
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { succeeds } from '../../../base/errors/attempt.ts'
import { ToolMistake, type ToolPlace } from './tool.ts'

/** Parts of the system that are not files: reading there shows processes (Whetstone's own, with its keys) or never ends. */
const offLimits = ['/proc', '/sys', '/dev']

/** The real path of something that exists. Throws ToolMistake if it does not exist or is out of bounds. */
export async function resolveExisting(given: string, place: ToolPlace): Promise<string> {
  const asked = resolveGiven(given, place)
  if (place.confined && !isUnderRoot(asked, place.cwd)) throw outOfBounds(given)
  const real = await followLinks(asked, place.view)
  if (real === null) throw new ToolMistake(`${given}: no such file or folder`)
  if (place.confined && !isUnderRoot(real, place.cwd)) throw outOfBounds(given)
  if (offLimits.some((root) => isUnderRoot(real, root))) throw new ToolMistake(`${given}: not a file that can be used`)
  if (place.view !== null && !place.view.canRead(real)) throw new ToolMistake(`${given}: no such file or folder`)
  return real
}

/** The real path of a plain file. Throws ToolMistake for anything else (a pipe would never end). */
export async function resolveExistingFile(given: string, place: ToolPlace): Promise<{ file: string; bytes: number }> {
  const file = await resolveExisting(given, place)
  const info = await stat(file)
  if (info.isDirectory()) throw new ToolMistake(`${given}: a folder; use Glob to list it`)
  if (!info.isFile()) throw new ToolMistake(`${given}: not a plain file`)
  return { file, bytes: info.size }
}

/** The path at which to write a file. Throws ToolMistake if something other than a file is there, or the tool may not write there. */
export async function resolveWritable(given: string, place: ToolPlace): Promise<string> {
  const asked = resolveGiven(given, place)
  const file = place.view === null ? asked : await realPlace(asked, { given, view: place.view })
  if (place.view !== null && !place.view.canWrite(file)) throw new ToolMistake(`${given}: read-only here`)
  if (offLimits.some((root) => isUnderRoot(file, root))) throw new ToolMistake(`${given}: not a file that can be used`)
  const info = await stat(file).catch(() => null)
  if (info !== null && !info.isFile()) throw new ToolMistake(`${given}: not a plain file`)
  return file
}

/** The path, with links resolved, of a file that may not exist yet. Throws ToolMistake for a link that leads nowhere. */
async function realPlace(file: string, asked: { given: string; view: ToolPlace['view'] }): Promise<string> {
  const real = await followLinks(file, asked.view)
  if (real !== null) return real
  const isLink = await succeeds(lstat(file))
  if (isLink) throw new ToolMistake(`${asked.given}: a link that leads nowhere`)
  const folder = path.dirname(file)
  return folder === file ? file : path.join(await realPlace(folder, asked), path.basename(file))
}

const mostLinks = 20

/** The real path; a link to an absolute path of the sandbox leads where that is on this machine. null: there is nothing. */
async function followLinks(file: string, view: ToolPlace['view'], links = 0): Promise<string | null> {
  const real = await realpath(file).catch(() => null)
  const folder = path.dirname(file)
  if (real !== null || view === null || folder === file || links > mostLinks) return real
  const parent = await followLinks(folder, view, links + 1)
  if (parent === null) return null
  const at = path.join(parent, path.basename(file))
  const target = await readlink(at).catch(() => null)
  if (target !== null) return await followLinks(view.locate(path.resolve(parent, target)), view, links + 1)
  return at === file ? null : await followLinks(at, view, links + 1)
}

function resolveGiven(given: string, { cwd, view }: ToolPlace): string {
  const asked = path.resolve(cwd, given)
  return view?.locate(asked) ?? asked
}

function isUnderRoot(target: string, root: string): boolean {
  const relative = path.relative(root, target)
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
}

function outOfBounds(given: string): ToolMistake {
  return new ToolMistake(`${given}: outside of the working folder`)
}
