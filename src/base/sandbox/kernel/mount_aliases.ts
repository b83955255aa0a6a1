/** Finds the other paths of a folder or file that is mounted at more than one place: bind mounts, volumes of a container. Pure. */
import path from 'node:path'
import { isSubpath } from '../paths_below.ts'

interface Mount {
  device: string
  /** The folder of the device that is mounted. */
  root: string
  at: string
}

/** The same folder or file by another path: all of `of`, or a part of it. */
export interface MountAlias {
  alias: string
  of: string
}

/** `mountInfo`: the text of /proc/self/mountinfo (proc(5)). It also lists mounts that a later one covers. */
export function findMountAliases(real: string, mountInfo: string): MountAlias[] {
  const mounts = parseMounts(mountInfo)
  const own = mounts.filter(({ at }) => isSubpath(real, at)).reduce<Mount | null>(pickDeeper, null)
  if (own === null) return []
  const inner = path.join(own.root, path.relative(own.at, real))
  return mounts
    .filter(({ device }) => device === own.device)
    .flatMap(({ root, at }) => {
      if (isSubpath(inner, root)) return [{ alias: path.join(at, path.relative(root, inner)), of: real }]
      return isSubpath(root, inner) ? [{ alias: at, of: path.join(real, path.relative(inner, root)) }] : []
    })
    .filter(({ alias }) => !isSubpath(alias, real))
}

/** Of two at the same place the later one is seen. */
function pickDeeper(best: Mount | null, one: Mount): Mount {
  return best === null || one.at.length >= best.at.length ? one : best
}

function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, , device, root, at] = line.split(' ')
    if (device === undefined || root === undefined || at === undefined) return []
    return [{ device, root: unescapePath(root), at: unescapePath(at) }]
  })
}

/** Space, tab, newline and backslash are octal. */
function unescapePath(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}
