// Joins the files of the program and the library, unminified: loading a thousand small modules makes `--help` ten times as slow as an empty Node,
// over its limit of nine. Of libraries only those are inside that would make the installed package larger than 75 MB: openai and the SDKs of MCP and ACP.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const packages = path.join(root, 'node_modules')

const { dependencies, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))

/** What an installed package finds in node_modules, and `npm audit` sees. */
const external = new Set(Object.keys({ ...dependencies, ...peerDependencies }))

function isExternal(id) {
  const [scope, rest] = id.split('/')
  return id.startsWith('node:') || external.has(scope.startsWith('@') ? `${scope}/${rest}` : scope)
}

/** Code reads prompts and templates from its own folder, so each file keeps its path outside the bundle. */
function ownAddresses(to) {
  return {
    name: 'own-addresses',
    transform(code, file) {
      if (!code.includes('import.meta.url')) return null
      const address = JSON.stringify(path.relative(to, file).split(path.sep).join('/'))
      return { code: code.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`), map: null }
    },
  }
}

/**
 * Writes bin.js (the command), index.js and vitest.js (the library), the parts that they share, source maps and the licences of the
 * bundled packages into `to`; `from` is the compiled tree.
 */
export async function bundleProgram(from, to) {
  const bundle = await rolldown({
    cwd: from, // names files in comments and maps without the folder of this build
    input: ['src/cli/bin.js', 'src/index.js', 'src/runners/vitest.js'].map((file) => path.join(from, file)),
    platform: 'node',
    external: isExternal,
    plugins: [ownAddresses(to)],
  })
  const { output } = await bundle.write({ dir: to, sourcemap: true })
  writeLicences(
    output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : [])),
    to,
  )
}

/** Writes LICENSES.txt into `to`: each package of the bundled files under `# name`, with its licence. scripts/sbom.mjs reads the names. */
export function writeLicences(files, to) {
  const names = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
  writeFileSync(path.join(to, 'LICENSES.txt'), [...new Set(names)].sort().map(licenceOf).join('\n\n'))
}

function licenceOf(name) {
  const folder = path.join(packages, name)
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`node_modules/${name} has no licence to pass on`)
  return `# ${name}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
