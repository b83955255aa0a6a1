// Compiles to dist/, bundles the programs of page and terminal, copies what the code reads at run time (prompts, templates, scenarios) beside it.
// npm run build [-- --force]; without it a dist of these very sources is left as it is.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt, noteBuilt, sourcesOf } from './built.mjs'
import { buildProgram } from './program.mjs'
import { buildViewer } from './viewer.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, 'dist')
const fresh = path.join(root, `dist.${process.pid}`)
const read = /\.(md|hbs|css|ya?ml|mjs)$/

function copyAssets(folder) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const relative = path.join(folder, entry.name)
    if (entry.isDirectory()) copyAssets(relative)
    else if (read.test(entry.name)) {
      mkdirSync(path.join(fresh, folder), { recursive: true })
      cpSync(path.join(root, relative), path.join(fresh, relative))
    }
  }
}

/** The program starts from its bundle; the compiled tree is the library. */
function startBundle(bin) {
  const text = readFileSync(bin, 'utf8')
  const started = text.replace("import('./main.js')", "import('../../program/main.js')")
  if (started === text) throw new Error(`${bin} does not import ./main.js`)
  writeFileSync(bin, started)
}

/** What the program says of itself at its usual width, so that nothing need be loaded for it. */
function keepHelp(bin, file) {
  writeFileSync(file, execFileSync(process.execPath, [bin, '--help']))
}

async function buildAll(sources) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', fresh], {
    stdio: 'inherit',
  })
  copyAssets('src')
  await buildViewer(path.join(fresh, 'viewer'))
  await buildProgram(fresh, path.join(fresh, 'program'))
  startBundle(path.join(fresh, 'src/cli/bin.js'))
  chmodSync(path.join(fresh, 'src/cli/bin.js'), 0o755)
  keepHelp(path.join(fresh, 'src/cli/bin.js'), path.join(fresh, 'program/help.txt'))
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
  if (existsSync(path.join(dist, 'program/program.cache'))) noteBuilt(sources, dist) // else the next build tries again
}

try {
  const sources = sourcesOf(root)
  if (process.argv.includes('--force') || !isBuilt(sources, dist)) await buildAll(sources)
} catch (error) {
  rmSync(fresh, { recursive: true, force: true })
  if (error.status === undefined && !Array.isArray(error.errors)) throw error
  process.exitCode = 1
}
