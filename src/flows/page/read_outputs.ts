/** Files as the page carries them: text as text, pictures and small binaries as bytes, the rest by name, size and hash. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import type { PageFile } from '../../../schemas/page.ts'
import { liesIn } from '../../base/own_file.ts'

const mostText = 200_000
const mostBytes = 1_000_000
const mostFiles = 200
/** More are not even counted. */
const mostNames = 10_000
const mostOfRun = 3_000_000
const ours = new Set(['metrics.json'])

/** Every file below a folder by path; links are not followed, nor is the folder where it is one that leads away. `hashes`: those that are known already. */
export function readOutputs(folder: string, hashes: ReadonlyMap<string, string> = new Map()): PageFile[] {
  if (!liesIn(path.dirname(folder), folder)) return []
  let left = mostOfRun
  const names = namesBelow(folder).filter((name) => !ours.has(name))
  const shown = names.sort().slice(0, mostFiles)
  const files = shown.map((name) => {
    const file = pageFile(path.join(folder, name), name, { most: left, sha256: hashes.get(name) ?? null })
    left -= file.body.length
    return file
  })
  return names.length === shown.length ? files : [...files, restOf(names.length - shown.length)]
}

/** What stands in the place of files that the page has no room for. */
function restOf(number: number): PageFile {
  const left_out = `The page shows ${mostFiles} files; the folder has the rest.`
  return { path: `… ${number} more files`, bytes: 0, sha256: null, as: 'none', body: '', left_out }
}

function namesBelow(folder: string, prefix = '', found: string[] = []): string[] {
  let entries: import('node:fs').Dirent[]
  try {
    entries = readdirSync(path.join(folder, prefix), { withFileTypes: true })
  } catch {
    return found
  }
  for (const entry of entries) {
    if (found.length >= mostNames) break
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) namesBelow(folder, name, found)
    else if (entry.isFile()) found.push(name)
  }
  return found
}

/** One file; what is too long is cut or left out, which is said. */
export function pageFile(file: string, name: string, limits: { most: number; sha256: string | null }): PageFile {
  const shared = { path: name, bytes: 0, sha256: limits.sha256 }
  try {
    const bytes = statSync(file).size
    const most = Math.max(0, Math.min(mostBytes, limits.most))
    const start = readStart(file, Math.min(bytes, most))
    const text = textOf(start.subarray(0, mostText))
    const sha256 = limits.sha256 ?? (start.length === bytes ? createHash('sha256').update(start).digest('hex') : null)
    const known = { ...shared, bytes, sha256 }
    if (text !== null) {
      const left_out = bytes > mostText ? `The first ${mostText} of ${bytes} bytes; the file has the rest.` : null
      return { ...known, as: 'text', body: text, left_out }
    }
    if (bytes > most)
      return { ...known, as: 'none', body: '', left_out: 'Too large for the page; it lies in the run’s folder.' }
    return { ...known, as: 'base64', body: start.toString('base64'), left_out: null }
  } catch (error) {
    const left_out = `Not to be read: ${error instanceof Error ? error.message : String(error)}`
    return { ...shared, as: 'none', body: '', left_out }
  }
}

function readStart(file: string, bytes: number): Buffer {
  if (bytes <= 65_536) return readFileSync(file).subarray(0, bytes)
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    return buffer.subarray(0, readSync(handle, buffer, 0, bytes, 0))
  } finally {
    closeSync(handle)
  }
}

/** null: these bytes are no text. A few wrong bytes in much text are shown as �. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  const text = bytes.toString('utf8')
  const wrong = text.length - text.replaceAll('\uFFFD', '').length
  return wrong > text.length / 50 + 3 ? null : text
}
