/** Combines separate edits of the same files into one version, if they do not touch the same lines. */
import { diffArrays } from 'diff'

interface VersionFile {
  content: Buffer
  isExecutable: boolean
}

/** By path relative to the skill, with /. */
export type VersionFiles = ReadonlyMap<string, VersionFile>

export type Merge = { status: 'merged'; files: VersionFiles } | { status: 'conflict'; path: string }

/** `edits`: the whole skill after each edit. The order of the edits matters only where several insert at the same place. */
export function mergeFiles(base: VersionFiles, edits: readonly VersionFiles[]): Merge {
  const paths = new Set([base, ...edits].flatMap((files) => [...files.keys()]))
  const files = new Map<string, VersionFile>()
  for (const path of [...paths].sort()) {
    const before = base.get(path)
    const changed = edits.map((edit) => edit.get(path)).filter((after) => !isSame(before, after))
    const merged = changed.length === 0 ? before : changed.length === 1 ? changed[0] : mergeFile(before, changed)
    if (merged === null) return { status: 'conflict', path }
    if (merged !== undefined) files.set(path, merged)
  }
  return { status: 'merged', files }
}

function isSame(one: VersionFile | undefined, other: VersionFile | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.isExecutable === other.isExecutable && one.content.equals(other.content)
}

/** null: two edits added, deleted or replaced the file, or changed the same lines, or its permission only once. */
function mergeFile(before: VersionFile | undefined, changed: readonly (VersionFile | undefined)[]): VersionFile | null {
  if (before === undefined) return null
  const texts: string[] = []
  for (const after of changed) {
    if (after === undefined || after.isExecutable !== before.isExecutable || after.content.includes(0)) return null
    texts.push(after.content.toString('utf8'))
  }
  if (before.content.includes(0)) return null
  const merged = mergeTexts(before.content.toString('utf8'), texts)
  return merged === null ? null : { content: Buffer.from(merged), isExecutable: before.isExecutable }
}

interface Hunk {
  /** The first replaced line of the base, from 0, and the number of replaced lines; 0: only inserts. */
  at: number
  removed: number
  lines: readonly string[]
}

/** null: two edits replace the same lines, or insert the same text at the same place. Edits next to each other are combined. */
export function mergeTexts(base: string, edits: readonly string[]): string | null {
  const before = base.split('\n')
  const all = edits.map((edit) => findHunks(before, edit.split('\n')))
  const taken: Hunk[] = []
  for (const hunks of all) {
    if (hunks.some((hunk) => taken.some((other) => isConflict(hunk, other)))) return null
    taken.push(...hunks)
  }
  // inserted lines come before a replacement that starts at the same line
  const ordered = taken
    .map((hunk, order) => ({ hunk, order }))
    .sort((a, b) => a.hunk.at - b.hunk.at || Math.sign(a.hunk.removed) - Math.sign(b.hunk.removed) || a.order - b.order)
  const merged: string[] = []
  let from = 0
  for (const { hunk } of ordered) {
    merged.push(...before.slice(from, hunk.at), ...hunk.lines)
    from = Math.max(from, hunk.at + hunk.removed)
  }
  return [...merged, ...before.slice(from)].join('\n')
}

function findHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  let open: { at: number; removed: number; lines: string[] } | null = null
  for (const { added, removed, value } of diffArrays([...before], [...after])) {
    if (!added && !removed) {
      if (open !== null) hunks.push(open)
      open = null
      at += value.length
      continue
    }
    open ??= { at, removed: 0, lines: [] }
    if (added) open.lines.push(...value)
    else {
      open.removed += value.length
      at += value.length
    }
  }
  return open === null ? hunks : [...hunks, open]
}

function isConflict(one: Hunk, other: Hunk): boolean {
  const [oneEnd, otherEnd] = [one.at + one.removed, other.at + other.removed]
  if (one.removed === 0 && other.removed === 0) {
    return one.at === other.at && one.lines.join('\n') === other.lines.join('\n')
  }
  // an insertion at the edge of a replacement is next to it, not inside
  if (one.removed === 0) return one.at > other.at && one.at < otherEnd
  if (other.removed === 0) return other.at > one.at && other.at < oneEnd
  return one.at < otherEnd && other.at < oneEnd
}
