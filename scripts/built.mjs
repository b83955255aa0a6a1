// Tells whether dist was built from these very sources: a build takes some seconds, and most npm scripts begin with one.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** What a build reads; the last file names the installed packages. */
const folders = ['src', 'schemas', 'viewer', 'scripts']
const files = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'node_modules/.package-lock.json']

/** A hash of all that a build reads. */
export function hashSources(root) {
  const hash = createHash('sha256')
  for (const file of [...folders.flatMap((folder) => filesIn(path.join(root, folder))), ...files]) {
    const place = path.resolve(root, file)
    if (existsSync(place)) hash.update(`${file}\0`).update(readFileSync(place)).update('\0')
  }
  return hash.digest('hex')
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => path.join(entry.parentPath, entry.name)).sort()
}
