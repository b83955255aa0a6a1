// Peak memory of a benchmark of 20,000 runs of a program that ends at once, as a user starts it: planned, run, graded, aggregated.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { bin, exitOf, fresh, makeSkill, peakOf, report } from './shared.mjs'

const count = Number(process.argv[2] ?? 20_000)
const cases = 100

const evals = Array.from({ length: cases }, (_, at) => ({
  id: at + 1,
  prompt: `task ${at}`,
  checks: [{ type: 'not_contains', value: 'done' }],
}))
const flags = {
  engine: 'command:true',
  runs: count / cases / 2,
  concurrency: 32,
  sandbox: 'off',
  workspace: path.join(fresh(), 'ws'),
}
const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
const child = spawn(process.execPath, [bin, 'bench', makeSkill(evals), ...words, '--no-cache', '--json'], {
  env: { PATH: process.env.PATH, HOME: process.env.HOME },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let [peak, used] = [0, 0]
createInterface({ input: child.stdout }).on('line', (line) => {
  if (line.startsWith('{"type":"grade_finished"')) used += 1
})
const look = setInterval(() => {
  peak = Math.max(peak, peakOf(child.pid))
}, 100)
const code = await exitOf(child)
clearInterval(look)
if (code !== 0 || used !== count) throw new Error(`exit code ${code}, ${used} graded`)
report({ name: `memory of ${count} instant runs`, value: peak, limit: 250, unit: 'MiB' })
