// A benchmark of 10,000 runs: graded, aggregated, and the memory for it. The first run is copied to all others, and the bench resumed.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { benchmarkFolder, runProgram, simpleCases, temporaryFolder, writeSkill } from './shared.mjs'

const count = 10_000
const shown = count.toLocaleString('en')

export async function* measure() {
  const workspace = path.join(temporaryFolder(), 'workspace')
  const flags = ['--engine', 'command:true', '--runs', `${count / 200}`, '--sandbox', 'off', '--no-cache', '--json']
  const bench = ['bench', writeSkill(simpleCases(100)), ...flags, '--workspace', workspace]
  const interrupt = (line, child) =>
    line.startsWith('{"type":"grade_finished"') && !child.killed && child.kill('SIGINT')
  await runProgram(bench, { exitCode: 130, onLine: interrupt })
  const folder = benchmarkFolder(workspace)
  copyFirstRun(folder)
  const resumed = await runProgram(bench)
  const again = await runProgram(['aggregate', folder])
  const { counts } = JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8'))
  if (counts.used !== count) throw new Error(`${counts.used} runs were used, expected ${count}`)
  yield { what: `aggregate and page of ${shown} runs`, value: again.ms / 1000, unit: 's', limit: 20 }
  const peak = Math.max(resumed.peakBytes, again.peakBytes) / 1e6
  yield { what: `peak memory at ${shown} runs (bench, aggregate)`, value: peak, unit: 'MB', limit: 600 }
}

/** As if all runs of the plan had ended and none were graded. */
function copyFirstRun(folder) {
  const { runs } = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
  const first = runs.find(({ run_id }) => existsSync(path.join(folder, run_id, 'run.json')))
  const source = path.join(folder, first.run_id)
  const record = JSON.parse(readFileSync(path.join(source, 'run.json'), 'utf8'))
  for (const { run_id, eval_id, eval_name, configuration, run_number, key } of runs) {
    const target = path.join(folder, run_id)
    if (existsSync(target)) continue
    cpSync(source, target, { recursive: true, filter: (file) => path.basename(file) !== 'grading.json' })
    const copy = { ...record, run_id, eval_id, eval_name, configuration, run_number, key }
    writeFileSync(path.join(target, 'run.json'), JSON.stringify(copy, null, 2))
  }
}
