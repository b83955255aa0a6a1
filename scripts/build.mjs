// Compiles to dist/src, which scripts and tests import, and makes of it what the package holds: program, types, page, and the files that the code reads at run time.
// npm run build [-- --force]; without --force a dist that was built from these very sources is left as it is.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashSources } from './built.mjs'
import { bundleProgram } from './bundle.mjs'
import { copyTypes } from './types.mjs'
import { buildViewer } from './viewer.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, 'dist')
const fresh = path.join(root, `dist.${process.pid}`)
const hash = hashSources(root)

function isBuilt() {
  const noted = path.join(dist, '.built')
  return existsSync(noted) && readFileSync(noted, 'utf8') === hash
}

function isRead(file) {
  return statSync(file).isDirectory() || /\.(md|hbs|css|ya?ml|mjs|py)$/.test(file)
}

async function buildAll() {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', fresh], {
    stdio: 'inherit',
  })
  cpSync(path.join(root, 'src'), path.join(fresh, 'src'), { recursive: true, filter: isRead })
  await buildViewer(path.join(fresh, 'viewer'))
  await bundleProgram(fresh, path.join(fresh, 'program'))
  chmodSync(path.join(fresh, 'program/bin.js'), 0o755)
  copyTypes(fresh, path.join(fresh, 'types'))
  writeFileSync(path.join(fresh, '.built'), hash)
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
}

try {
  if (process.argv.includes('--force') || !isBuilt()) await buildAll()
} catch (error) {
  rmSync(fresh, { recursive: true, force: true })
  if (error.status === undefined && !Array.isArray(error.errors)) throw error
  process.exitCode = 1
}
