/** Where a path that the model gives really leads, and whether the tool may go there. */
import { lstat, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolMistake, type ToolPlace } from './tool.ts'

/** Parts of the system that are no files: reading there shows processes (our own, with its keys) or never ends. */
const offLimits = ['/proc', '/sys', '/dev']

/** The real path of something that is there. Throws ToolMistake when it is not, or out of bounds. */
export async function existing(given: string, place: ToolPlace): Promise<string> {
  const asked = askedFor(given, place)
  if (place.confined && !isWithin(asked, place.cwd)) throw outside(given)
  const real = await realpath(asked).catch(() => null)
  if (real === null) throw new ToolMistake(`${given}: no such file or folder`)
  if (place.confined && !isWithin(real, place.cwd)) throw outside(given)
  if (offLimits.some((root) => isWithin(real, root))) throw new ToolMistake(`${given}: not a file that can be used`)
  if (place.view !== null && !place.view.canRead(real)) throw new ToolMistake(`${given}: no such file or folder`)
  return real
}

/** The real path of a plain file. Throws ToolMistake for anything else (a pipe would never end). */
export async function existingFile(given: string, place: ToolPlace): Promise<{ file: string; bytes: number }> {
  const file = await existing(given, place)
  const info = await stat(file)
  if (info.isDirectory()) throw new ToolMistake(`${given}: a folder; use Glob to list it`)
  if (!info.isFile()) throw new ToolMistake(`${given}: not a plain file`)
  return { file, bytes: info.size }
}

/** Where a file is to be written. Throws ToolMistake when something other than a file is there. */
export async function writable(given: string, place: ToolPlace): Promise<string> {
  const asked = askedFor(given, place)
  const file = place.view === null ? asked : await realPlace(asked, given)
  if (place.view !== null && !place.view.canWrite(file)) throw new ToolMistake(`${given}: read-only here`)
  if (offLimits.some((root) => isWithin(file, root))) throw new ToolMistake(`${given}: not a file that can be used`)
  const info = await stat(file).catch(() => null)
  if (info !== null && !info.isFile()) throw new ToolMistake(`${given}: not a plain file`)
  return file
}

/** Where a file that may not be there yet would lie, links resolved. Throws ToolMistake for a link that leads nowhere. */
async function realPlace(file: string, given: string): Promise<string> {
  const real = await realpath(file).catch(() => null)
  if (real !== null) return real
  const isLink = await lstat(file).then(
    () => true,
    () => false,
  )
  if (isLink) throw new ToolMistake(`${given}: a link that leads nowhere`)
  const folder = path.dirname(file)
  return folder === file ? file : path.join(await realPlace(folder, given), path.basename(file))
}

function askedFor(given: string, { cwd, view }: ToolPlace): string {
  const asked = path.resolve(cwd, given)
  return view?.locate(asked) ?? asked
}

function isWithin(target: string, root: string): boolean {
  const relative = path.relative(root, target)
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
}

function outside(given: string): ToolMistake {
  return new ToolMistake(`${given}: outside of the working folder`)
}
