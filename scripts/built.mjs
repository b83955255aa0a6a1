// Whether dist is what these sources gave: a build takes a dozen seconds, and tests, kills and chaos each begin with one.
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

/** What a build begins with: the sources by what they hold, and the Node that builds. Taken before, for somebody may write meanwhile. */
export function sourcesOf(root) {
  const from = hashOf(
    read.flatMap((one) => filesAt(path.join(root, one))),
    (file) => createHash('sha256').update(readFileSync(file)).digest('hex'),
  )
  const { version, platform, arch, execPath } = process
  return [version, platform, arch, execPath, whenAndSize(execPath), from].join('\n')
}

function whenAndSize(file) {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs}`
}

/** With what was built of them, by when and how large: a file that was changed by hand is built anew. */
function stampOf(sources, dist) {
  const built = filesAt(dist).filter((file) => file !== stampIn(dist))
  return `${sources}\n${hashOf(built, whenAndSize)}`
}

export function isBuilt(sources, dist) {
  return existsSync(stampIn(dist)) && readFileSync(stampIn(dist), 'utf8') === stampOf(sources, dist)
}

export function noteBuilt(sources, dist) {
  writeFileSync(stampIn(dist), stampOf(sources, dist))
}
