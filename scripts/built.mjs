// Whether dist is what these sources gave: a build takes a dozen seconds, and tests, demo, kills and chaos each begin with one.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** What a build reads; the last names what is installed. */
const sources = ['src', 'schemas', 'viewer', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json']
const read = [...sources, 'tsconfig.build.json', 'node_modules/.package-lock.json']

const stampIn = (dist) => path.join(dist, '.built')

/** All files at or below a path, sorted. */
function filesAt(place) {
  if (!existsSync(place)) return []
  if (!statSync(place).isDirectory()) return [place]
  const entries = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => path.join(entry.parentPath, entry.name)).sort()
}

function hashOf(files, textOf) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0${textOf(file)}\0`)
  return hash.digest('hex')
}

/** Sources by what they hold; what was built of them by when and how large, so that a file changed by hand is built anew. */
function stampOf(root, dist) {
  const from = hashOf(
    read.flatMap((one) => filesAt(path.join(root, one))),
    (file) => createHash('sha256').update(readFileSync(file)).digest('hex'),
  )
  const built = filesAt(dist).filter((file) => file !== stampIn(dist))
  const to = hashOf(built, (file) => `${statSync(file).size} ${statSync(file).mtimeMs}`)
  return [process.version, process.platform, process.arch, process.execPath, from, to].join('\n')
}

export function isBuilt(root, dist) {
  return existsSync(stampIn(dist)) && readFileSync(stampIn(dist), 'utf8') === stampOf(root, dist)
}

export function noteBuilt(root, dist) {
  writeFileSync(stampIn(dist), stampOf(root, dist))
}
