// Installs verdaccio, an npm registry for this machine, into .registry (ignored): the tests of the package publish to it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const version = '6.8.0' // the newest for Node 20
const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), '.registry')
const manifest = path.join(folder, 'node_modules/verdaccio/package.json')

if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).version !== version) {
  const unfinished = `${folder}.part`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  const wanted = {
    private: true,
    dependencies: { verdaccio: version },
    overrides: { 'node-fetch': '^2.7.0' }, // it asks for a tag, and mirrors of the registry may know no tag but latest
  }
  writeFileSync(path.join(unfinished, 'package.json'), JSON.stringify(wanted))
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional', '--loglevel=error']
  execFileSync('npm', ['install', ...quiet], { cwd: unfinished, stdio: 'inherit' })
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
}
console.log(`verdaccio: ${version}`)
