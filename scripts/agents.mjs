// Installs the agent CLIs that the end-to-end tests drive into .agent-clis/ (git-ignored), from the package registry.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const claudeVersion = '2.1.329'
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const home = path.join(root, '.agent-clis')
const bin = path.join(home, 'bin')

function installClaude() {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  const binary = path.join(home, `claude-${claudeVersion}`, 'claude')
  if (!existsSync(binary)) {
    mkdirSync(path.dirname(binary), { recursive: true })
    const packed = execFileSync('npm', ['pack', '--silent', `${name}@${claudeVersion}`], {
      cwd: home,
      encoding: 'utf8',
    })
    const archive = path.join(home, packed.trim())
    execFileSync('tar', ['-xzf', archive, '-C', path.dirname(binary), '--strip-components=1'])
    rmSync(archive)
  }
  rmSync(path.join(bin, 'claude'), { force: true })
  symlinkSync(binary, path.join(bin, 'claude'))
  console.log(execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim())
}

mkdirSync(bin, { recursive: true })
installClaude()
