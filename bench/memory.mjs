// Memory of a plan of 20,000 runs, each made a job, queued and passed over.
import { spawnSync } from 'node:child_process'
import { context, library, makeSkill, report, request } from './shared.mjs'

const count = 20_000

/** What is asked here is what the plan and its queue keep; agents have a memory of their own. */
async function child() {
  const { planBench } = await library()
  const { execute } = await import('../dist/src/flows/execute.js')
  const evals = Array.from({ length: 100 }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at}`,
    checks: [{ type: 'contains', value: 'done' }],
  }))
  const asked = request({ skill: makeSkill(evals), engine: 'command:true', runs: 100 })
  const { plan, workspace } = await planBench(asked, context())
  if (plan.runs.length !== count) throw new Error(`planned ${plan.runs.length} runs`)
  // every run ends at once: the benchmark is drained, so that each of the 20,000 jobs is made, queued and passed over
  const drained = { ...context(), drain: AbortSignal.abort() }
  const execution = { plan, folder: workspace, skillFiles: new Map(), passEnv: [], hidden: [], concurrency: 32 }
  await execute(execution, drained)
  console.log(process.resourceUsage().maxRSS / 1024)
}

if (process.argv[2] === 'child') await child()
else {
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, 'child'])
  if (status !== 0) throw new Error(String(stderr))
  report({ name: `memory of ${count} planned and queued runs`, value: Number(stdout), limit: 250, unit: 'MiB' })
}
