/** Where a path of an EVAL.md leads: looked for from the file's folder upwards, never out of its project. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../../../base/files.ts'

/** What marks the top of a project. */
const marks = ['.git', 'mix.exs', 'package.json', 'pyproject.toml']

/** The nearest folder above that is a project's; without one the parent of the file's folder. */
async function projectOf(file: string): Promise<string> {
  const start = path.dirname(file)
  for (let at = start; path.dirname(at) !== at; at = path.dirname(at)) {
    for (const mark of marks) if (await exists(path.join(at, mark))) return at
  }
  return path.dirname(start)
}

/** The absolute place, or why there is none. */
export async function findPlace(named: string, file: string): Promise<{ place: string } | { reason: string }> {
  if (path.isAbsolute(named)) return { reason: `${named} is an absolute path: it is not the same on another machine` }
  const project = await projectOf(file)
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    const place = path.resolve(at, named)
    if (await exists(place)) {
      const isInside = isBelow(project, place) && isBelow(await realpath(project), await realpath(place))
      return isInside ? { place } : { reason: `${named} leads out of ${project}` }
    }
    if (at === project || path.dirname(at) === at)
      return { reason: `${named}: no such file or folder at or above ${path.dirname(file)}` }
  }
}

function isBelow(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner)
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}
