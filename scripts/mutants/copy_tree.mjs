// A copy of the tree in a temporary folder, in which the source may be broken.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.join(import.meta.dirname, '../..')

/** The files that git knows, and links to what is installed. */
export function copyTree() {
  const place = mkdtempSync(path.join(tmpdir(), 'mutated-'))
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files) {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true })
    cpSync(path.join(root, file), path.join(place, file), { verbatimSymlinks: true })
  }
  for (const name of ['node_modules', '.agent-clis', '.registry'])
    symlinkSync(path.join(root, name), path.join(place, name))
  // some tests ask git for the files
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    execFileSync('git', args, { cwd: place })
  return place
}

/** Replaces the first place of a text in a file, and gives the text of the file before. */
export function edit(place, file, from, to) {
  const text = readFileSync(path.join(place, file), 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`)
  writeFileSync(
    path.join(place, file),
    text.replace(from, () => to),
  )
  return text
}
