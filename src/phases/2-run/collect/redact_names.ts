/** Removes credentials from the names of a run's outputs. */
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'

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
