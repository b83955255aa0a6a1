// What is left of it all, held against what the agents themselves said.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { agentLog, shared, workspace } from './world.mjs'

const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [])
const jsonLines = (file) => linesOf(file).map((line) => JSON.parse(line))

export function benchmarkFolders() {
  const folder = path.join(workspace, 'benchmarks')
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []
}

/** Whether the coordinator has written a whole benchmark. */
export function isWhole() {
  return benchmarkFolders().some((folder) => {
    const file = path.join(folder, 'benchmark.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).complete === true
  })
}

/**
 * How often each case and arm was begun by an agent: `task-3 with_skill` → times. ` with_skill`, without a task, are
 * those whose worker was killed after it had started them and before it gave them their prompt.
 */
export function startsByArm() {
  const starts = new Map()
  for (const line of linesOf(agentLog)) {
    const [what, , task, arm] = line.split(' ')
    if (what === 'start') starts.set(`${task} ${arm}`, (starts.get(`${task} ${arm}`) ?? 0) + 1)
  }
  return starts
}

const isTaskless = (arm) => arm.startsWith(' ')

export const armOf = (spec) => `task-${spec.eval_id} ${spec.configuration}`

/** Complaints, and the numbers behind them. */
export function tally() {
  const complaints = []
  const say = (holds, text) => holds || complaints.push(text)
  const folders = benchmarkFolders()
  say(folders.length === 1, `${folders.length} benchmarks instead of one`)
  const folder = folders[0]
  const plan = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
  const benchmark = JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8'))
  say(benchmark.complete === true, 'the benchmark is not complete')
  say(
    benchmark.runs.length === plan.runs.length,
    `${benchmark.runs.length} runs in benchmark.json, ${plan.runs.length} planned`,
  )
  const keys = benchmark.runs.map((run) => `${run.eval_id} ${run.configuration} ${run.run_number}`)
  say(new Set(keys).size === keys.length, 'a run is in the benchmark twice')

  const statuses = {}
  const attempts = new Map()
  const count = (spec, times) => attempts.set(armOf(spec), (attempts.get(armOf(spec)) ?? 0) + times)
  let damaged = 0
  for (const spec of plan.runs) {
    const at = path.join(folder, spec.run_id)
    const record = existsSync(path.join(at, 'run.json'))
      ? JSON.parse(readFileSync(path.join(at, 'run.json'), 'utf8'))
      : null
    statuses[record?.status ?? 'missing'] = (statuses[record?.status ?? 'missing'] ?? 0) + 1
    const whole = ['transcript.jsonl', 'timing.json', 'grading.json', 'outputs/metrics.json'].every((name) =>
      existsSync(path.join(at, name)),
    )
    if (!whole) damaged += 1
    const said = record?.final_response.trim()
    say(
      record === null || said === (spec.configuration === 'with_skill' ? 'TIDY' : 'messy'),
      `${spec.run_id} says ${said}`,
    )
  }
  say(statuses.completed === plan.runs.length, `ended: ${JSON.stringify(statuses)}`)
  say(damaged === 0, `${damaged} runs are not whole`)

  const others = new Map(
    jsonLines(path.join(folder, 'attempts.jsonl')).map((one) => [`${one.job} ${one.attempt} ${one.started_at}`, one]),
  )
  const paid = jsonLines(path.join(folder, 'spent.jsonl')).filter(({ part }) => part === 'run')
  const specs = new Map(plan.runs.map((spec) => [spec.run_id, spec]))
  for (const { run_id } of paid) count(specs.get(run_id), 1)
  const costs = paid.map(({ run_id, started_at }) => `${run_id} ${started_at}`)
  say(new Set(costs).size === costs.length, `${costs.length - new Set(costs).size} attempts are paid for twice`)
  const uncounted = [...others.values()].filter(({ run_id, started_at }) => !costs.includes(`${run_id} ${started_at}`))
  say(uncounted.length === 0, `the cost of ${uncounted.length} other attempts is not counted`)
  say(
    others.size === (benchmark.other_attempts?.attempts ?? 0),
    'benchmark.json counts other attempts than attempts.jsonl',
  )

  const starts = startsByArm()
  let begun = 0
  for (const [arm, times] of starts) {
    begun += times
    if (isTaskless(arm)) continue
    say(times <= (attempts.get(arm) ?? 0), `${arm}: begun ${times} times, paid for ${attempts.get(arm) ?? 0}`)
  }
  for (const arm of [...starts.keys()].filter(isTaskless)) {
    const ofArm = (counts) =>
      [...counts].filter(([key]) => key.endsWith(arm)).reduce((sum, [, times]) => sum + times, 0)
    const [all, known] = [ofArm(starts), ofArm(attempts)]
    say(all <= known, `${arm.trim()}: begun ${all} times, some without a task; paid for ${known}`)
  }
  const left = existsSync(path.join(shared, 'runs'))
    ? readdirSync(path.join(shared, 'runs')).flatMap((id) => readdirSync(path.join(shared, 'runs', id)))
    : []
  say(left.length === 0, `${left.length} jobs left in the shared folder`)
  const orphans = agentsAlive()
  say(orphans.length === 0, `${orphans.length} agents are still alive`)
  const numbers = {
    planned: plan.runs.length,
    ended: statuses,
    agents_begun: begun,
    attempts_paid_for: paid.length,
    of_them_taken_into_the_benchmark: plan.runs.length,
    other_attempts: others.size,
    other_attempts_whose_cost_is_not_counted: uncounted.length,
    of_other_attempts_lost_with_a_worker: [...others.values()].filter(({ status }) => status === null).length,
    left_in_shared: left.length,
    orphans: orphans.length,
  }
  return { complaints, numbers }
}

/** Processes that carry the log of our agents in their environment, other than workers. */
export function agentsAlive() {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
      return environment.includes(`AGENT_LOG=${agentLog}`) && environment.includes('PROCESS_GROUP_MARK=')
    } catch {
      return false
    }
  })
}
