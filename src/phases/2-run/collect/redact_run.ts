/** Removes credentials from a run's record, files and names of outputs, before or just after they are in the run's folder. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import { listPlainFiles } from '../../../base/fs/files.ts'
import { sha256 } from '../../../base/json/json.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'
import { withVisibleControls } from '../../../base/text/show_control_characters.ts'

/** Redacts the texts of the agent and the engine; ids, names and paths stay. */
export function cleanRecord(record: RunRecord, redactor: Redactor): RunRecord {
  const { final_response, stop_reason, warnings, permission_denials } = record
  const said = redactor.value({ final_response, stop_reason, warnings, permission_denials })
  if (record.status !== 'failed') return { ...record, ...said }
  return { ...record, ...said, error: { ...record.error, message: redactor.text(record.error.message) } }
}

/** Copies the agent's redacted stderr from the temp directory into the run's folder, safe to show in a terminal. */
export function keepStderr(from: string, to: string, redactor: Redactor): void {
  if (!existsSync(from)) return // most agents write nothing to stderr
  const written = readFileSync(from)
  if (written.length > 0) writeFileSync(to, withVisibleControls(redactor.text(written.toString('utf8'))))
}

/** Removes the user's own credentials from the collected files. Everything else stays as the agent wrote it. */
export function cleanOutputs(folder: string, outputs: RunRecord['outputs'], redactor: Redactor): string[] {
  return outputs.files.flatMap((file) => {
    const clean = cleanFile(path.join(folder, file.path), redactor)
    if (clean === null) return []
    file.bytes = clean.bytes.length
    file.sha256 = sha256(clean.bytes)
    return [`${file.path} contained the value of ${clean.names.join(', ')}, which was removed`]
  })
}

/** Removes the user's own credentials from every file of a folder of Whetstone's. */
export function cleanFolder(folder: string, redactor: Redactor): void {
  for (const file of listPlainFiles(folder)) cleanFile(file, redactor)
}

function cleanFile(file: string, redactor: Redactor): ReturnType<Redactor['bytes']> {
  const clean = redactor.bytes(readFileSync(file))
  if (clean === null) return null
  const { mode } = statSync(file)
  rmSync(file) // an agent may leave files that are read-only
  writeFileSync(file, clean.bytes, { mode })
  return clean
}

/** Renames outputs whose path contains a credential, on disk and in the record, with a warning each. No output overwrites another. */
export function cleanNames(folder: string, outputs: RunRecord['outputs'], redactor: Redactor): string[] {
  for (const one of outputs.left_out) one.path = redactor.text(one.path)
  const named = outputs.files.filter((file) => redactor.text(file.path) !== file.path)
  const taken = new Set<string>()
  for (const file of outputs.files) if (!named.includes(file)) take(file.path, taken)
  return named.map((file) => {
    const before = file.path
    file.path = freeName(redactor.text(before), taken)
    take(file.path, taken)
    const place = path.join(folder, file.path)
    mkdirSync(path.dirname(place), { recursive: true })
    renameSync(path.join(folder, before), place)
    removeEmpty(folder, path.dirname(before))
    return `the path of an output contained a credential; the output is saved as ${file.path}`
  })
}

/** Marks a file as taken, and its parent folders with a trailing /. */
function take(name: string, taken: Set<string>): void {
  taken.add(name)
  for (const folder of listParentFolders(name)) taken.add(`${folder}/`)
}

function listParentFolders(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const isFree = (name: string) =>
    !taken.has(name) && !taken.has(`${name}/`) && !listParentFolders(name).some((folder) => taken.has(folder))
  if (isFree(wanted)) return wanted
  const flat = listParentFolders(wanted).some((folder) => taken.has(folder)) ? wanted.replaceAll('/', '_') : wanted
  const { dir, name, ext } = path.posix.parse(flat)
  for (let number = 2; ; number += 1) {
    const next = path.posix.join(dir, `${name}-${number}${ext}`)
    if (isFree(next)) return next
  }
}

/** Removes the folder and its parents as far as they are empty. */
function removeEmpty(root: string, inside: string): void {
  try {
    for (let one = inside; one !== '.'; one = path.dirname(one)) rmdirSync(path.join(root, one))
  } catch {} // the folder is not empty
}
