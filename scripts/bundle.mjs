// Bundles the program of the terminal: to find and compile a thousand small modules takes longer than most commands.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules')

/** What nearly every command loads, bundled with all that it needs itself. Every other package is loaded where it is used. */
const bundled = [
  'acorn',
  'execa',
  'handlebars',
  'json-p3',
  'markdown-it',
  'p-limit',
  'picocolors',
  'picomatch',
  'simple-statistics',
  'smol-toml',
  'string-argv',
  'string-width',
  'tinyglobby',
  'yaml',
  'yargs',
  'zod',
]

const otherPackages = {
  name: 'other-packages',
  setup(building) {
    building.onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
      const isOurs = !importer.startsWith(packages) && kind !== 'entry-point'
      return isOurs && !bundled.includes(name.split('/')[0]) ? { path: name, external: true } : null
    })
  },
}

/** Code reads prompts and templates from its own folder, so each file keeps its path outside the bundle. */
function ownAddresses(to) {
  return {
    name: 'own-addresses',
    setup(building) {
      building.onLoad({ filter: /\.m?js$/ }, ({ path: file }) => {
        const text = readFileSync(file, 'utf8')
        if (!text.includes('import.meta.url')) return null
        const address = JSON.stringify(path.relative(to, file).split(path.sep).join('/'))
        return {
          contents: text.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`),
          loader: 'js',
        }
      })
    },
  }
}

/** Writes main.js, its parts and the licences of the packages in them into `to`; `from` is the compiled tree. */
export async function bundleProgram(from, to) {
  const { metafile } = await build({
    entryPoints: { main: path.join(from, 'src/cli/main.js') },
    outdir: to,
    bundle: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
    // packages that are CommonJS ask for Node's own modules
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [otherPackages, ownAddresses(to)],
  })
  writeLicences(metafile, to)
}

/** Writes LICENSES.txt into `to`: each package of a bundle under `# name`, with its licence. scripts/sbom.mjs reads the names. */
export function writeLicences(metafile, to) {
  const names = Object.keys(metafile.inputs).flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  )
  writeFileSync(path.join(to, 'LICENSES.txt'), [...new Set(names)].sort().map(licenceOf).join('\n\n'))
}

function licenceOf(name) {
  const folder = path.join(packages, name)
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`node_modules/${name} has no licence to pass on`)
  return `# ${name}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
