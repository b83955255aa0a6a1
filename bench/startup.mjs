// How long the program takes to answer, against an empty Node measured in turns with it.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { baseEnv, bin, median, root, startPractice, temporaryFolder } from './shared.mjs'

const example = path.join(root, 'workspaces/example/invoice-totals')
const cwd = temporaryFolder()

export async function* measure() {
  yield ratio({ what: '--version', args: ['--version'], limit: 4 })
  yield ratio({ what: '--help', args: ['--help'], limit: 9 })
  const server = await startPractice({ rules: [] })
  try {
    const args = ['bench', example, '--engine', 'anthropic:practice-1', '--dry-run']
    yield ratio({ what: 'bench --dry-run of the example', args, env: server.env, limit: 20 })
  } finally {
    await server.stop()
  }
}

function ratio({ what, args, env = {}, limit }) {
  const program = () => node([bin, ...args], env)
  program()
  const pairs = Array.from({ length: 11 }, () => ({ empty: node(['-e', '0'], env), program: program() }))
  const value = median(pairs.map(({ empty, program }) => program / empty))
  const ms = median(pairs.map(({ program }) => program))
  return { what: `${what} ÷ node -e 0`, value, unit: '×', limit, detail: `${ms.toFixed(0)} ms` }
}

function node(args, env) {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: { ...baseEnv, ...env } })
  if (status !== 0) throw new Error(`node ${args.join(' ')}: exit code ${status}\n${stderr}`)
  return performance.now() - start
}
