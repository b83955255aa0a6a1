// Step 1 of the GitHub Action: finds or installs Whetstone, and says where its program is. Written for any Node, to say which one is needed.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const action = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const readPackage = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
const { name, version, engines } = readPackage(action)
const programOf = (folder) => path.join(folder, readPackage(folder).bin.whetstone)

const [major, minor] = process.versions.node.split('.').map(Number)
const [, least = '0', leastMinor = '0'] = /(\d+)\.(\d+)/.exec(engines.node) ?? []
if (major < Number(least) || (major === Number(least) && minor < Number(leastMinor))) {
  process.stderr.write(
    `::error title=Whetstone::Node ${process.versions.node} is too old: ${name} needs ${engines.node}. Put actions/setup-node with node-version 22 before it.\n`,
  )
  process.exit(2)
}

/** A checkout that is built runs as it is; else the package of the same version is installed. */
function findProgram() {
  const wanted = process.env.INPUT_WHETSTONE_VERSION || ''
  if (wanted === '' && existsSync(programOf(action))) return programOf(action)
  const isPlace = /[/\\]|\.tgz$/.test(wanted)
  const spec = isPlace ? path.resolve(wanted) : `${name}@${wanted || version}`
  const folder = mkdtempSync(path.join(process.env.RUNNER_TEMP || tmpdir(), 'whetstone-'))
  const flags = ['--prefix', folder, '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--install-links']
  // no script of a package runs, and npm gets no credential of the job but those for a private registry
  const isKept = (variable) => /^(NODE_AUTH|NPM)_TOKEN$|(?<!KEY|TOKEN|SECRET|PASSWORD)$/.test(variable)
  const kept = Object.entries(process.env).filter(([variable]) => isKept(variable))
  execFileSync('npm', ['install', ...flags, spec], {
    env: Object.fromEntries(kept),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  return programOf(path.join(folder, 'node_modules', name))
}

appendFileSync(process.env.GITHUB_OUTPUT, `program=${findProgram()}\n`)
