// Bundles the program of the terminal: hundreds of small files take longer to find and compile than to run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules')

/** What nearly every command loads. All other packages stay as they are, loaded where they are used. */
const terminal = ['yargs', 'yargs-parser', 'y18n', 'cliui', 'string-width', 'strip-ansi', 'wrap-ansi']
const bundled = new Set([...terminal, 'ansi-regex', 'ansi-styles', 'emoji-regex', 'get-east-asian-width'])
for (const name of ['handlebars', 'simple-statistics', 'yaml', 'zod']) bundled.add(name)

/** What they hold for browsers needs nothing of Node and is the same else. */
const forBrowsers = { handlebars: 'handlebars/dist/cjs/handlebars.js', yaml: 'yaml/browser/index.js' }

/** `z` as an object holds all of zod, its forty languages too; as a namespace what is used of it. */
const zodObject = /^import \{ z \} from 'zod';/m
const zodNamespace = `import * as z from 'zod';`

/** Code reads its prompts and templates beside itself: each file keeps the address that it has in `from`. */
function ownSources(from, to) {
  return {
    name: 'own-sources',
    setup(building) {
      building.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        if (!file.startsWith(from)) return null
        const address = JSON.stringify(path.relative(to, file).split(path.sep).join('/'))
        const text = readFileSync(file, 'utf8').replace(zodObject, zodNamespace)
        return {
          contents: text.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`),
          loader: 'js',
        }
      })
    },
  }
}

const otherPackages = {
  name: 'other-packages',
  setup(building) {
    building.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) => {
      const [first, second] = name.split('/')
      const owner = name.startsWith('@') ? `${first}/${second}` : first
      if (Object.hasOwn(forBrowsers, name)) return { path: path.join(packages, forBrowsers[name]) }
      return kind === 'entry-point' || bundled.has(owner) ? null : { path: name, external: true }
    })
  },
}

/** zod's messages are English because its index says so, and of the index only a part is taken. */
const entry = `
import { config } from 'zod/v4/core'
import english from 'zod/v4/locales/en.js'
config(english())
export { main } from './src/cli/main.js'
`

/** Writes the parts of the program into `to`; `from` is the compiled tree beside it. Nothing is loaded before it is used. */
export async function buildProgram(from, to) {
  await build({
    stdin: { contents: entry, resolveDir: from, sourcefile: 'main.js' },
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
    entryNames: 'main',
    chunkNames: 'part-[hash]',
    plugins: [ownSources(from, to), otherPackages],
  })
  writeFileSync(path.join(to, 'LICENSES.txt'), [...bundled].sort().map(licenceOf).join('\n\n'))
}

function licenceOf(name) {
  const folder = path.join(packages, name)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`node_modules/${name} has no licence to pass on`)
  return `# ${name}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
