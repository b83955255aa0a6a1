/** Resolves a path of an EVAL.md from the file's folder upwards, never out of its project. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'

/** Files and folders that mark the top of a project. */
const marks = ['.git', 'mix.exs', 'package.json', 'pyproject.toml']

/** The nearest project folder above the file; otherwise the parent of the file's folder. */
export async function findProject(file: string): Promise<string> {
  const start = path.dirname(file)
  for (let at = start; path.dirname(at) !== at; at = path.dirname(at)) {
    for (const mark of marks) if (await pathExists(path.join(at, mark))) return at
  }
  return path.dirname(start)
}

/** Returns the absolute path, or why it cannot be resolved. */
export async function findNamedPath(named: string, file: string): Promise<{ place: string } | { reason: string }> {
  if (path.isAbsolute(named)) return { reason: `${named} is an absolute path: it is not the same on another machine` }
  const project = await findProject(file)
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    const place = path.resolve(at, named)
    if (await pathExists(place)) {
      const isInside =
        isInsideProject(project, place) && isInsideProject(await realpath(project), await realpath(place))
      return isInside ? { place } : { reason: `${named} leads out of ${project}` }
    }
    if (at === project || path.dirname(at) === at)
      return { reason: `${named}: no such file or folder at or above ${path.dirname(file)}` }
  }
}

function isInsideProject(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner)
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}
