// Peak memory of a benchmark of 20,000 runs of a program that ends at once, in a process of its own: planned, run, graded, aggregated.
import { spawnSync } from 'node:child_process'
import { context, library, makeSkill, report, request } from './shared.mjs'

const count = 20_000

async function child() {
  const { bench } = await library()
  const evals = Array.from({ length: 100 }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at}`,
    checks: [{ type: 'not_contains', value: 'done' }],
  }))
  const asked = request({ skill: makeSkill(evals), engine: 'command:true', runs: 100, concurrency: 32 })
  const { benchmark } = await bench(asked, context())
  if (benchmark.counts.used !== count) throw new Error(`only ${benchmark.counts.used} runs`)
  console.log(process.resourceUsage().maxRSS / 1024)
}

if (process.argv[2] === 'child') await child()
else {
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, 'child'])
  if (status !== 0) throw new Error(String(stderr))
  report({ name: `memory of ${count} instant runs`, value: Number(stdout), limit: 250, unit: 'MiB' })
}
