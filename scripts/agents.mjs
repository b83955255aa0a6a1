// Installs the agent CLIs that the end-to-end tests drive into .agent-clis/ (git-ignored), from the package registry.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const platform = `${process.platform}-${process.arch}`
const triple = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}[platform]

/** Per CLI: the package of this platform's binary, where the binary is in it, and its other programs. */
const clis = {
  claude: { version: '2.1.329', package: `@anthropic-ai/claude-code-${platform}@2.1.329`, binary: 'claude' },
  opencode: { version: '1.18.33', package: `opencode-${platform}@1.18.33`, binary: 'bin/opencode' },
  codex: {
    version: '0.169.0',
    package: `@openai/codex@0.169.0-${platform}`,
    binary: `vendor/${triple}/bin/codex`,
    // opencode needs ripgrep too, and would download it for each run
    tools: { rg: `vendor/${triple}/codex-path/rg` },
  },
}

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const home = path.join(root, '.agent-clis')
const bin = path.join(home, 'bin')

function install([name, cli]) {
  const folder = path.join(home, `${name}-${cli.version}`)
  const binary = path.join(folder, cli.binary)
  if (!existsSync(binary)) unpack(cli.package, folder)
  link(binary, name)
  for (const [tool, file] of Object.entries(cli.tools ?? {})) link(path.join(folder, file), tool)
  console.log(`${name}: ${execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim()}`)
}

function link(file, name) {
  rmSync(path.join(bin, name), { force: true })
  symlinkSync(path.relative(bin, file), path.join(bin, name))
}

/** Downloads into a separate folder first, so that an interrupted download does not count as an installation. */
function unpack(packageName, folder) {
  const unfinished = `${folder}.part`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  const packed = execFileSync('npm', ['pack', '--silent', packageName], { cwd: unfinished, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', packed, '--strip-components=1'], { cwd: unfinished })
  rmSync(path.join(unfinished, packed))
  renameSync(unfinished, folder)
}

mkdirSync(bin, { recursive: true })
for (const cli of Object.entries(clis)) install(cli)
