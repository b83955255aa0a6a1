// npm run check: all that must hold of a commit, in order, with the time of each step. It stops at the first that fails.
import { spawnSync } from 'node:child_process'

const steps = ['lint', 'types', 'unused', 'build', 'clean-generated', 'test', 'test:system']
const times = []
let status = 0
for (const step of steps) {
  const start = performance.now()
  status = spawnSync('npm', ['run', '--silent', step], { stdio: 'inherit' }).status ?? 1
  times.push(`${((performance.now() - start) / 1000).toFixed(0)} s ${step}`)
  if (status !== 0) break
}
console.log(`\n${status === 0 ? 'All steps passed' : `Stopped at ${steps[times.length - 1]}`}: ${times.join(', ')}`)
process.exitCode = status
