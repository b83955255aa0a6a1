// Prints the tests with the real CLIs of the engines whose code has changed since they were recorded: `.ci/run` runs these.
// --hash NAME prints what a recording notes of the code it was made with.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')

/** The folders of the source that drive the CLI of this engine, such as claude-code, which may be a feature. */
function listFolders(name, place) {
  const folder = name.replaceAll('-', '_')
  const parent = existsSync(path.join(place, 'src/features', folder)) ? 'features' : 'engines'
  return ['src/engines/cli', `src/${parent}/${folder}`]
}

/** Of the code that drives the CLI of this engine. `place`: the clone. */
export function hashSources(name, place) {
  const hash = createHash('sha256')
  for (const folder of listFolders(name, place)) {
    for (const file of readdirSync(path.join(place, folder), { recursive: true }).sort()) {
      if (!/\.m?ts$|\.mjs$/.test(file)) continue
      hash.update(`${folder}/${file}\n`).update(readFileSync(path.join(place, folder, file)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** The tests, relative to `place`, of each engine whose recording was made with other code. */
export function listTests(place) {
  const recordings = 'test/engines/recorded'
  const names = readdirSync(path.join(place, recordings)).filter((one) => one.endsWith('.jsonl'))
  return names.flatMap((file) => {
    const [header] = readFileSync(path.join(place, recordings, file), 'utf8').split('\n', 1)
    const { engine, sources } = JSON.parse(header)
    const isSame = hashSources(engine, place) === sources
    return isSame ? [] : [`test/engines/contract_${path.basename(file, '.jsonl')}.nightly.test.ts`]
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, name] = process.argv.slice(2)
  console.log(option === '--hash' ? hashSources(name, root) : listTests(root).join('\n'))
}
