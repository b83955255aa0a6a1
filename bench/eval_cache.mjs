// eval of 1,000 unchanged cases of EVAL.md, all from the cache: the whole program, under a second.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { bin, context, fresh, median, report, root, write } from './shared.mjs'

const folder = fresh()
const suites = Array.from({ length: 20 }, (_, suite) => suite)
const casesOf = (suite) =>
  Array.from({ length: 50 }, (_, one) => `## case ${one}\n### Prompt\nSay ${suite} ${one}\n### Expect\nIt says so.\n`)
write(
  folder,
  Object.fromEntries(
    suites.flatMap((suite) => [
      [`skills/s${suite}/EVAL.md`, casesOf(suite).join('\n')],
      [`skills/s${suite}/SKILL.md`, `---\nname: s${suite}\ndescription: Says.\n---\nSay it.\n`],
    ]),
  ),
)
const place = path.join(folder, 'skills')
const workspace = path.join(folder, 'ws')
const [engine, judge] = ['command:echo yes', 'command:cat']

/** As if every case had passed once. */
async function fill() {
  const { planEval } = await import(path.join(root, 'dist/src/flows/eval/eval.js'))
  const { openPasses } = await import(path.join(root, 'dist/src/flows/eval/passes.js'))
  const wish = { path: place, format: null, cases: [], target: null, category: null, test: null, model: null }
  const how = { baseUrl: null, timeoutSeconds: null, maxTurns: null, concurrency: 1, retries: 2, passEnv: [] }
  const { plans } = await planEval({ ...wish, ...how, engine, judge, workspace }, context(process.env))
  const judged = { result: 'pass', reason: 'VERDICT: PASS', engine: 'command', model: null }
  for (const { plan } of plans) {
    const passes = openPasses(plan, { workspace, now: new Date(), use: true })
    const made = { verdict: 'pass', warnings: [], output_snippet: 'yes', judge: judged }
    await passes.keep(
      folder,
      plan.cases.map(({ eval_id, eval_name }) => ({ eval_id, eval_name, ...made })),
    )
  }
}

function run() {
  const args = ['eval', place, '--workspace', workspace, '--engine', engine, '--judge', judge, '--summary-only']
  const start = performance.now()
  const { status, stdout } = spawnSync(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = String(stdout)
  if (status !== 0 || !said.includes('1000 of 1000 passed')) throw new Error(`exit ${status}: ${said.slice(-400)}`)
  return (performance.now() - start) / 1000
}

await fill()
run()
const seconds = median(Array.from({ length: 7 }, run))
report({ name: '1,000 unchanged cases from the cache', value: seconds, limit: 1, unit: 's', detail: '20 suites' })
