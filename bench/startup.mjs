// How long the program takes to answer, against an empty Node.
import { spawnSync } from 'node:child_process'
import { bin, paired, report } from './shared.mjs'

function run(...args) {
  const start = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}`)
  return performance.now() - start
}

const floor = () => run('-e', '0')
for (const [name, limit] of [
  ['--version', 2],
  ['--help', 5],
]) {
  run(bin, name)
  const { ratio, floor: empty, ours } = await paired({ rounds: 15, floor, ours: () => run(bin, name) })
  report({ name, value: ratio, limit, detail: `${ours.toFixed(0)} ms, node -e 0 ${empty.toFixed(0)} ms` })
}
