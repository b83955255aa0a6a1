/** Reads files for the page: text as text, pictures and small binaries as bytes, the rest by name, size and hash. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import type { PageFile } from '../../../schemas/page.ts'
import { attempt } from '../../base/errors/attempt.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'

const mostText = 200_000
const mostBytes = 1_000_000
const mostFiles = 200
/** Stops counting beyond this. */
const mostNames = 10_000
const maxRunBytes = 3_000_000
const ownFileNames = new Set(['metrics.json'])

/** Every file below a folder by path. Follows no links, and skips a folder that links elsewhere. `hashes`: already known ones. */
export function readOutputs(folder: string, hashes: ReadonlyMap<string, string> = new Map()): PageFile[] {
  if (!isInsideFolder(path.dirname(folder), folder)) return []
  let left = maxRunBytes
  const names = listFileNames(folder).filter((name) => !ownFileNames.has(name))
  const shown = names.sort().slice(0, mostFiles)
  const files = shown.map((name) => {
    const file = readPageFile(path.join(folder, name), name, { most: left, sha256: hashes.get(name) ?? null })
    left -= file.body.length
    return file
  })
  return names.length === shown.length ? files : [...files, restEntry(names.length - shown.length)]
}

/** Replaces files that do not fit on the page. */
function restEntry(number: number): PageFile {
  const left_out = `The page shows ${mostFiles} files; the folder has the rest.`
  return { path: `… ${number} more files`, bytes: 0, sha256: null, as: 'none', body: '', left_out }
}

function listFileNames(folder: string, prefix = '', found: string[] = []): string[] {
  for (const entry of attempt(() => readdirSync(path.join(folder, prefix), { withFileTypes: true }), [])) {
    if (found.length >= mostNames) break
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) listFileNames(folder, name, found)
    else if (entry.isFile()) found.push(name)
  }
  return found
}

/** One file; a long one is truncated or left out, and marked so. */
export function readPageFile(file: string, name: string, limits: { most: number; sha256: string | null }): PageFile {
  const shared = { path: name, bytes: 0, sha256: limits.sha256 }
  try {
    const bytes = statSync(file).size
    const most = Math.max(0, Math.min(mostBytes, limits.most))
    const start = readStart(file, Math.min(bytes, most))
    const text = decodeText(start.subarray(0, mostText))
    const sha256 = limits.sha256 ?? (start.length === bytes ? createHash('sha256').update(start).digest('hex') : null)
    const known = { ...shared, bytes, sha256 }
    if (text !== null) {
      const left_out = bytes > mostText ? `The first ${mostText} of ${bytes} bytes; the file has the rest.` : null
      return { ...known, as: 'text', body: text, left_out }
    }
    if (bytes > most)
      return { ...known, as: 'none', body: '', left_out: 'Too large for the page; it is in the run’s folder.' }
    return { ...known, as: 'base64', body: start.toString('base64'), left_out: null }
  } catch (error) {
    const left_out = `Can't be read: ${error instanceof Error ? error.message : String(error)}`
    return { ...shared, as: 'none', body: '', left_out }
  }
}

function readStart(file: string, bytes: number): Buffer {
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    return buffer.subarray(0, readSync(handle, buffer, 0, bytes, 0))
  } finally {
    closeSync(handle)
  }
}

/** null: not text. In long text, a few invalid bytes appear as �. */
function decodeText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  const text = bytes.toString('utf8')
  const wrong = text.length - text.replaceAll('\uFFFD', '').length
  return wrong > text.length / 50 + 3 ? null : text
}
