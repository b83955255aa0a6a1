// Bundles the program of the terminal: hundreds of small files take longer to find and compile than to run.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import handlebars from 'handlebars'

const packages = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules')

/** What nearly every command loads. All other packages stay as they are, loaded where they are used. */
const terminal = ['yargs', 'yargs-parser', 'y18n', 'cliui', 'string-width', 'strip-ansi', 'wrap-ansi']
const bundled = new Set([...terminal, 'ansi-regex', 'ansi-styles', 'emoji-regex', 'get-east-asian-width'])
for (const name of [
  'handlebars',
  'simple-statistics',
  'yaml',
  'zod',
  'picomatch',
  'tinyglobby',
  'fdir',
  'json-p3',
  'p-limit',
  'yocto-queue',
  'string-argv',
  'picocolors',
  'get-caller-file',
  '@pydantic/genai-prices',
])
  bundled.add(name)

/** What they hold for browsers needs nothing of Node and is the same else. */
const forBrowsers = {
  handlebars: 'handlebars/dist/cjs/handlebars.js',
  'handlebars/runtime': 'handlebars/dist/cjs/handlebars.runtime.js',
  yaml: 'yaml/browser/index.js',
}

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
        const isTemplates = file.endsWith(path.join('4-report', 'templates.js'))
        const own = isTemplates ? withCompiledTemplates(file) : readFileSync(file, 'utf8')
        const text = own.replace(zodObject, zodNamespace)
        return {
          contents: text.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`),
          loader: 'js',
        }
      })
    },
  }
}

/** The reports' templates as functions: nothing needs to load what compiles them. `from`: the folder of templates.js. */
function compiledTemplates(from) {
  const names = readdirSync(from, { recursive: true }).filter((name) => name.endsWith('.hbs'))
  const compiled = names.map((name) => {
    const options = { strict: true, noEscape: !name.endsWith('.html.hbs') }
    const made = handlebars.precompile(readFileSync(path.join(from, name), 'utf8'), options)
    return `${JSON.stringify(name.split(path.sep).join('/'))}: ${made}`
  })
  return `{ ${compiled.join(', ')} }`
}

/** Only the compiled templates are known then: they are chosen by name, and the format goes by it. */
function withCompiledTemplates(file) {
  const text = readFileSync(file, 'utf8')
  const changed = text
    .replace("from 'handlebars'", "from 'handlebars/runtime'")
    .replace(/handlebars\.compile\(asset\(name\), \{[^}]*\}\)/, () => {
      return `handlebars.template((${compiledTemplates(path.dirname(file))})[name])`
    })
  if (!changed.includes('handlebars.template(')) throw new Error(`${file} compiles its templates in another way`)
  return changed
}

/** What string-width makes when it is loaded takes a tenth of the time to start, and only what is not plain ASCII needs it. */
const madeLater = [
  ['segmenter', 'new Intl.Segmenter()', 'segment'],
  ['rgiEmojiRegex', '/^\\p{RGI_Emoji}$/v', 'test'],
]

const widthsLater = {
  name: 'widths-later',
  setup(building) {
    building.onLoad({ filter: /string-width[\\/]index\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8')
      const contents = madeLater.reduce((before, [name, made, use]) => {
        const later = `let ${name}Made; const ${name} = { ${use}: (text) => (${name}Made ??= ${made}).${use}(text) };`
        return before.replace(`const ${name} = ${made};`, () => later)
      }, text)
      if (contents === text) throw new Error(`${file} makes nothing of what is known when it is loaded`)
      return { contents, loader: 'js' }
    })
  },
}

/**
 * What is nowhere used. The parser looks for a package.json above the working folder, to learn a version that nobody asks it for: it would
 * read each folder on the way, of however many entries. What compiles templates would load a package for maps of them.
 */
const unused = { 'escalade/sync': 'export default () => undefined', 'source-map': 'export {}' }

const nothingUnused = {
  name: 'nothing-unused',
  setup(building) {
    building.onResolve({ filter: /./ }, ({ path: name }) => {
      return Object.hasOwn(unused, name) ? { path: name, namespace: 'unused' } : null
    })
    building.onLoad({ filter: /./, namespace: 'unused' }, ({ path: name }) => ({ contents: unused[name] }))
  },
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

/** The program's entry is no file. `from`: what it is resolved from. */
function mainOf(from) {
  return {
    name: 'main',
    setup(building) {
      building.onResolve({ filter: /^main$/ }, () => ({ path: 'main', namespace: 'main' }))
      building.onLoad({ filter: /^main$/, namespace: 'main' }, () => ({ contents: entry, resolveDir: from }))
    },
  }
}

const shared = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'eof',
  logLevel: 'warning',
}

/**
 * Writes the program into `to`, twice; `from` is the compiled tree beside it. As one script it starts soonest, with what V8 compiled of it
 * before; as modules wherever that is of no use. Nothing is run before it is used.
 */
export async function buildProgram(from, to) {
  const plugins = [mainOf(from), ownSources(from, to), widthsLater, nothingUnused, otherPackages]
  await build({
    ...shared,
    entryPoints: { modules: 'main', detail_thread: path.join(from, 'src/flows/page/detail_thread.js') },
    outdir: to,
    splitting: true,
    format: 'esm',
    charset: 'utf8',
    chunkNames: 'part-[hash]',
    plugins,
  })
  await build({
    ...shared,
    entryPoints: { program: 'main' },
    outdir: to,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    charset: 'ascii',
    define: { 'import.meta.url': 'programAddress' },
    banner: { js: "const programAddress=require('node:url').pathToFileURL(__filename).href;" },
    plugins,
  })
  const program = path.join(to, 'program.cjs')
  writeFileSync(program, asScript(readFileSync(program, 'utf8')))
  copyFileSync(path.join(import.meta.dirname, 'start.mjs'), path.join(to, 'main.js'))
  writeFileSync(path.join(to, 'LICENSES.txt'), [...bundled].sort().map(licenceOf).join('\n\n'))
  keepCompiled(from)
}

/**
 * A byte is a character then: it is read at once, and held in half the memory; esbuild leaves regular expressions and raw templates as they
 * are. And what is loaded later is loaded by the program's start: a script that V8 has read from its cache can import nothing.
 */
function asScript(text) {
  const raw = /\braw`[^`]*[^\0-\x7f][^`]*`/.exec(text)
  if (raw !== null) throw new Error(`write \\u and the number of the character that is not ASCII: ${raw[0]}`)
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const script = text.replace(/[^\0-\x7f]/g, escaped).replace(/\bimport\(/g, 'programImport(')
  const parameters = 'exports,require,module,__filename,programImport'
  return `(function(${parameters}){"use strict";${script}\n})\n// built ${randomUUID()}`
}

const longestMs = 60_000

/** Has the program do what it does most, and keeps what V8 compiled for that. Without it the program only starts later. */
function keepCompiled(from) {
  try {
    const home = mkdtempSync(path.join(tmpdir(), 'whetstone-build-')) // nothing that agents read lies above it
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, TMP: home, TEMP: home }
    const options = { env, encoding: 'utf8', timeout: longestMs }
    const program = path.join(import.meta.dirname, 'compiled.mjs')
    const { status, stderr } = spawnSync(process.execPath, [program, from, home], options)
    rmSync(home, { recursive: true, force: true })
    if (status !== 0) throw new Error(stderr)
  } catch (error) {
    process.stderr.write(`the program will start later: nothing is kept of its compilation\n${error.message}\n`)
  }
}

function licenceOf(name) {
  const folder = path.join(packages, name)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`node_modules/${name} has no licence to pass on`)
  return `# ${name}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
