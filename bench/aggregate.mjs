// Aggregating 10,000 run folders, against reading and parsing the same files; and the memory that it takes. As a process, beside
// skill-creator's aggregate_benchmark.py on the same folders, where WHETSTONE_SKILL_CREATOR names a checkout of it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bin, context, fresh, library, makeSkill, median, report, request } from './shared.mjs'

const count = 10_000
const names = ['run.json', 'grading.json', 'timing.json', 'outputs/metrics.json']
const [folder, what] = process.argv.slice(2)

/** In a process of its own, so that neither warms the other and each has its own peak of memory. */
async function child() {
  const { aggregateAgain } = what === 'floor' ? {} : await library()
  const start = performance.now()
  if (what === 'floor') {
    const { runs } = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
    let kept = 0
    for (const { run_id } of runs) {
      for (const name of names)
        kept += Object.keys(JSON.parse(readFileSync(path.join(folder, run_id, name), 'utf8'))).length
    }
    if (kept === 0) throw new Error('nothing was read')
  } else {
    const asked = { folder, candidate: null, baseline: null, force: false, agentskills: null, page: false }
    const { benchmark } = await aggregateAgain(asked, context())
    if (benchmark.counts.used !== count) throw new Error(`only ${benchmark.counts.used} runs`)
  }
  console.log(JSON.stringify({ ms: performance.now() - start, mib: process.resourceUsage().maxRSS / 1024 }))
}

function measure(benchmark, kind) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [import.meta.filename, benchmark, kind])
  if (status !== 0) throw new Error(String(stderr))
  return JSON.parse(String(stdout))
}

/** Seconds of a process from start to end. */
function seconds(command, ...args) {
  const start = performance.now()
  const { status, stderr } = spawnSync(command, args)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return (performance.now() - start) / 1000
}

/** In turns, both warm. The script writes benchmark.json and benchmark.md too. */
function besideTheScript(target) {
  const checkout = process.env.WHETSTONE_SKILL_CREATOR
  if (checkout === undefined)
    return console.log('skip  beside aggregate_benchmark.py: WHETSTONE_SKILL_CREATOR is not set')
  const places = ['scripts', 'skill-creator/scripts', 'skills/skill-creator/scripts']
  const files = places.map((place) => path.join(checkout, place, 'aggregate_benchmark.py'))
  const script = files.find((file) => existsSync(file))
  if (script === undefined) throw new Error(`${checkout}: no scripts/aggregate_benchmark.py in it`)
  const theirs = () => seconds('python3', script, target)
  const ours = () => seconds(process.execPath, bin, 'aggregate', target, '--no-page')
  theirs()
  const pairs = Array.from({ length: 5 }, () => ({ theirs: theirs(), ours: ours() }))
  const middle = (pick) => median(pairs.map(pick))
  report({
    name: `aggregate --no-page as a process ÷ aggregate_benchmark.py`,
    value: middle((pair) => pair.ours / pair.theirs),
    limit: 1,
    detail: `${middle((pair) => pair.ours).toFixed(2)} s, the script ${middle((pair) => pair.theirs).toFixed(2)} s`,
  })
}

/** A small benchmark that was really made, its runs copied until there are enough: 50 cases × 2 arms × 100. */
async function parent() {
  const { bench } = await library()
  const cases = 50
  const evals = Array.from({ length: cases }, (_, at) => ({
    id: at + 1,
    prompt: 'x',
    checks: [{ type: 'contains', value: 'done' }],
  }))
  const engine = `command:${process.execPath} ${path.join(import.meta.dirname, 'noop.mjs')}`
  const asked = request({
    skill: makeSkill(evals.slice(0, 1)),
    engine,
    concurrency: 2,
    workspace: path.join(fresh(), 'ws'),
  })
  const { folder: seed, plan } = await bench(asked, context())
  const target = fresh()
  const [one] = plan.cases
  const runs = Array.from({ length: count }, (_, at) => {
    const arm = plan.runs[at % 2]
    const id = 1 + (Math.floor(at / 2) % cases)
    const number = 1 + Math.floor(at / 2 / cases)
    return {
      from: arm.run_id,
      spec: {
        ...arm,
        eval_id: id,
        eval_name: `case ${id}`,
        run_number: number,
        run_id: `eval-${id}-case/${arm.configuration}/run-${number}`,
      },
    }
  })
  const cached = new Map()
  const text = (file) => {
    if (!cached.has(file)) cached.set(file, readFileSync(file, 'utf8'))
    return cached.get(file)
  }
  for (const { from, spec } of runs) {
    const to = path.join(target, spec.run_id)
    mkdirSync(path.join(to, 'outputs'), { recursive: true })
    for (const name of names.slice(1)) writeFileSync(path.join(to, name), text(path.join(seed, from, name)))
    const { run_id, eval_id, eval_name, run_number } = spec
    const record = { ...JSON.parse(text(path.join(seed, from, 'run.json'))), run_id, eval_id, eval_name, run_number }
    writeFileSync(path.join(to, 'run.json'), JSON.stringify(record, null, 2))
  }
  const many = Array.from({ length: cases }, (_, at) => ({ ...one, eval_id: at + 1, eval_name: `case ${at + 1}` }))
  const extended = { ...plan, cases: many, runs: runs.map(({ spec }) => spec), options: { ...plan.options, runs: 100 } }
  writeFileSync(path.join(target, 'plan.json'), JSON.stringify(extended))
  measure(target, 'floor')
  const rounds = Array.from({ length: 3 }, () => ({ floor: measure(target, 'floor'), ours: measure(target, 'ours') }))
  const middle = (pick) => median(rounds.map(pick))
  const detail = `${middle((round) => round.ours.ms).toFixed(0)} ms, reading and parsing ${middle((round) => round.floor.ms).toFixed(0)} ms`
  report({
    name: `aggregate of ${count} runs`,
    value: middle((round) => round.ours.ms / round.floor.ms),
    limit: 3,
    detail,
  })
  report({ name: `memory of the aggregate`, value: middle((round) => round.ours.mib), limit: 250, unit: 'MiB' })
  besideTheScript(target)
}

await (folder === undefined ? parent() : child())
