/** Checks whether a place is writable before the work whose result goes there is paid for. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { attempt } from '../errors/attempt.ts'
import { errnoCode, UserError } from '../errors/error.ts'
import { isInsideFolder } from './inside_folder.ts'
import { tryReadInfo } from './tree_size.ts'

export interface WriteTarget {
  /** Absolute. */
  place: string
  kind: 'file' | 'folder'
}

/** Why a file or folder can't be created or changed there, with the place; null: it can. Missing parents are created later. */
export function whyNotWritable({ place, kind }: WriteTarget): string | null {
  const there = findExistingAncestor(place)
  const found = attempt(() => statSync(there), null)
  if (found === null) return `${there} is a link to nothing`
  const wanted = there === place ? kind : 'folder'
  if (!(wanted === 'folder' ? found.isDirectory() : found.isFile())) return `${there} is not a ${wanted}`
  return [there, ...(wanted === 'file' ? [path.dirname(there)] : [])].map(refusal).find((one) => one !== null) ?? null
}

/** Throws UserError when one of these is not writable, or a link leads it out of `owner` (absolute). */
export function assertWritable(owner: string, targets: readonly WriteTarget[], fix: string): void {
  for (const target of targets) {
    const there = findExistingAncestor(target.place)
    if (existsSync(there) && !isInsideFolder(owner, there))
      throw new UserError(`${there}: a link leads out of ${owner}, and nothing is written there`, fix)
    const reason = whyNotWritable(target)
    if (reason !== null) throw new UserError(`${target.place} can't be written: ${reason}`, fix)
  }
}

/** The place itself or its nearest existing parent; a link without a target counts as existing. */
function findExistingAncestor(place: string): string {
  for (let at = place; ; at = path.dirname(at)) {
    if (at === path.dirname(at) || tryReadInfo(at) !== null) return at // the parent of an unreadable place gives the reason
  }
}

/** Virtual file systems of the kernel, by number (linux/magic.h): root may write to their folders, but no file can be created there. */
const kernelFileSystems = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x1cd1, 'devpts'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0xcafe4a11, 'bpf'],
])

function refusal(place: string): string | null {
  try {
    accessSync(place, constants.W_OK)
    const madeUp = kernelFileSystems.get(statfsSync(place).type)
    return madeUp === undefined ? null : `${place} is part of ${madeUp}, where no files can be kept`
  } catch (error) {
    const code = errnoCode(error)
    return code === 'EROFS' ? `${place} is on a file system that is read-only` : `${place} is read-only (${code})`
  }
}
