// Holds the statistics and the judge against other people's data: `npm run evidence -- DATA_DIR [JUDGEBENCH_DIR]`. Prints tables as
// markdown, and exits with 1 if a reference value is missed. DATA_DIR: skillsbench_runs.csv, terminal_bench_trials.csv and
// skill_trials_gke.csv;
// JUDGEBENCH_DIR: a checkout of ScalerLab/JudgeBench (needs python3). --reference FILE: other reference values.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { reportAgents } from './evidence/agents.mjs'
import { reportJudges } from './evidence/judges.mjs'
import { reportLifts } from './evidence/lifts.mjs'
import { reportProcedures } from './evidence/procedures.mjs'
import { InputError } from './evidence/rows.mjs'

const { values, positionals } = parseArgs({ options: { reference: { type: 'string' } }, allowPositionals: true })
const [data, judgeBench] = positionals
if (data === undefined || positionals.length > 2) {
  console.error('usage: npm run evidence -- DATA_DIR [JUDGEBENCH_DIR] [--reference FILE]')
  process.exit(2)
}
const file = values.reference ?? path.join(import.meta.dirname, 'evidence/reference.json')
const reference = JSON.parse(readFileSync(file, 'utf8'))
let checked = 0
const misses = []

function check({ what, found, wanted, isMet = found === wanted }) {
  checked += 1
  if (!isMet) misses.push(`${what}: ${found}, wanted ${wanted}`)
}

try {
  console.log(reportLifts(data, reference.lifts, check))
  console.log(`\n${reportAgents(data, reference.agents, check)}`)
  console.log(`\n${reportProcedures(data)}`)
  if (judgeBench !== undefined) console.log(`\n${await reportJudges(judgeBench, check)}`)
} catch (error) {
  if (!(error instanceof InputError)) throw error
  console.error(`error: ${error.message}`)
  process.exit(2)
}
console.log(`\n${checked - misses.length} of ${checked} reference values are met.`)
for (const miss of misses) console.error(`missed: ${miss}`)
process.exitCode = misses.length === 0 ? 0 : 1
