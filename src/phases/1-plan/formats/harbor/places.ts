/** Finds the absolute folders of a Harbor task's world: the agent can write there, as in a container. */
import path from 'node:path'
import { findSystemPart } from '../../../../base/sandbox/system.ts'

/** In every world. */
const usualPlaces = [
  '/app',
  '/root',
  '/workspace',
  '/data',
  '/home',
  '/opt',
  '/srv',
  '/mnt',
  '/output',
  '/outputs',
  '/logs',
  '/etc/apt',
  '/etc/claude-code',
]

/** Shown from this machine, or prepared by the sandbox itself. */
const systemFolders = new Set(
  'usr bin sbin lib lib32 lib64 libx32 etc proc sys dev run tmp nix gnu tests solution'.split(' '),
)

/** `texts`: the Dockerfile and the instruction, which name further folders. Sorted, each once. Pure. */
export function findHarborPlaces(texts: readonly string[], paths: readonly string[]): string[] {
  const named = texts.flatMap((text) =>
    [...text.matchAll(/(?<![\w./:~-])\/[a-z][\w-]*(?:\/[\w-]+)?/g)].map(([one]) => one),
  )
  const found = [...usualPlaces, ...[...named, ...paths].flatMap(topFolder), ...paths.flatMap(settingsFolder)]
  return [...new Set(found)].sort()
}

/** The folder to bind for a path: its first part; below /var its second, because /var itself belongs to the system. */
function topFolder(place: string): string[] {
  const [first = '', second = ''] = path.posix.normalize(place).split('/').filter(Boolean)
  if (first === '' || systemFolders.has(first)) return []
  if (first !== 'var') return [`/${first}`]
  return second === '' || second === 'tmp' || second === 'run' ? [] : [`/var/${second}`]
}

/** The folder to bind for a file further down in /etc, unless it is one of this machine's settings. */
function settingsFolder(place: string): string[] {
  const [first, second, ...others] = path.posix.normalize(place).split('/').filter(Boolean)
  const folder = `/etc/${second}`
  return first === 'etc' && others.length > 0 && findSystemPart(folder) === null ? [folder] : []
}

/** Whether a path of the world is inside one of its places. */
export function isInPlaces(place: string, places: readonly string[]): boolean {
  return (
    place === '/tmp' || place.startsWith('/tmp/') || places.some((top) => place === top || place.startsWith(`${top}/`))
  )
}
