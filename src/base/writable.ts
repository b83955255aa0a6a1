/** Whether something can be written at a place: asked before what is to be written there is paid for. */
import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from './error.ts'
import { liesIn } from './own_file.ts'

export interface Target {
  /** Absolute. */
  place: string
  kind: 'file' | 'folder'
}

/** Why a file or folder can't be made or changed there, with the place; null: it can. What is missing on the way is made later. */
export function whyNotWritable({ place, kind }: Target): string | null {
  const there = nearestAbove(place)
  const found = seen(there, statSync)
  if (found === undefined) return `${there} is a link to nothing`
  const wanted = there === place ? kind : 'folder'
  if (!isOf(wanted, found)) return `${there} is no ${wanted}`
  return [there, ...(wanted === 'file' ? [path.dirname(there)] : [])].map(refusal).find((one) => one !== null) ?? null
}

/** Throws UserError where one of these can't be written, or a link leads it out of `owner` (absolute). */
export function refuseUnwritable(owner: string, targets: readonly Target[], fix: string): void {
  for (const target of targets) {
    const there = nearestAbove(target.place)
    if (seen(there, statSync) !== undefined && !liesIn(owner, there))
      throw new UserError(`${there}: a link leads out of ${owner}, and nothing is written there`, fix)
    const reason = whyNotWritable(target)
    if (reason !== null) throw new UserError(`${target.place} can't be written: ${reason}`, fix)
  }
}

/** The place itself or what is there above it, a link to nothing too. */
function nearestAbove(place: string): string {
  for (let at = place; ; at = path.dirname(at)) {
    if (at === path.dirname(at) || seen(at, lstatSync) !== undefined) return at
  }
}

/** Nothing where it can't be looked at either: what is above it says why. */
function seen(place: string, look: (place: string) => Stats): Stats | undefined {
  try {
    return look(place)
  } catch {
    return undefined
  }
}

function isOf(kind: Target['kind'], found: Stats): boolean {
  return kind === 'folder' ? found.isDirectory() : found.isFile()
}

function refusal(place: string): string | null {
  try {
    accessSync(place, constants.W_OK)
    return null
  } catch (error) {
    const code = codeOf(error)
    return code === 'EROFS' ? `${place} is on a file system that is read-only` : `${place} is read-only (${code})`
  }
}
