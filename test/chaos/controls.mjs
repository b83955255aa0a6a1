// What the tally must not miss: each wrong is done by hand to what a clean run left, must be complained of, and is undone.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { armOf, benchmarkFolders, startsByArm, tally } from './tally.mjs'
import { agentLog, shared } from './world.mjs'

/** Puts a changed text in place of a file's; gives what puts the old one back. */
function rewritten(file, change) {
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, change(before))
  return () => writeFileSync(file, before)
}

function paidFor(arm, folder, plan) {
  const arms = new Map(plan.runs.map((spec) => [spec.run_id, armOf(spec)]))
  const lines = readFileSync(path.join(folder, 'spent.jsonl'), 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).filter(({ part, run_id }) => part === 'run' && arms.get(run_id) === arm)
    .length
}

const withBenchmark = (folder, change) =>
  rewritten(path.join(folder, 'benchmark.json'), (text) => {
    const benchmark = JSON.parse(text)
    change(benchmark)
    return JSON.stringify(benchmark)
  })

const wrongs = {
  'a run is counted twice': ({ folder }) => withBenchmark(folder, ({ runs }) => runs.push(runs[0])),
  'a run takes the place of another': ({ folder }) =>
    withBenchmark(folder, ({ runs }) => {
      runs[1] = runs[0]
    }),
  'a run is lost': ({ folder, plan }) => {
    const file = path.join(folder, plan.runs[0].run_id, 'run.json')
    renameSync(file, `${file}.away`)
    return () => renameSync(`${file}.away`, file)
  },
  'a run has what the other arm said': ({ folder, plan }) =>
    rewritten(path.join(folder, plan.runs[0].run_id, 'run.json'), (text) => {
      const record = JSON.parse(text)
      const said = record.final_response.includes('TIDY') ? 'messy' : 'TIDY'
      return JSON.stringify({ ...record, final_response: said })
    }),
  // as if a late result had been taken besides, which is what the fence of a lost lock refuses
  'an agent was begun of which nobody knows': ({ folder, plan }) => {
    const arm = armOf(plan.runs[0])
    const before = readFileSync(agentLog, 'utf8')
    const open = paidFor(arm, folder, plan) - (startsByArm().get(arm) ?? 0) // begun by a worker, not by its agent
    appendFileSync(agentLog, `start 1 ${arm}\n`.repeat(open + 1))
    return () => writeFileSync(agentLog, before)
  },
  'an agent without its task was begun of which nobody knows': ({ folder }) => {
    const before = readFileSync(agentLog, 'utf8')
    const paid = readFileSync(path.join(folder, 'spent.jsonl'), 'utf8').split('\n').length
    appendFileSync(agentLog, 'start 1  with_skill\n'.repeat(paid + 1))
    return () => writeFileSync(agentLog, before)
  },
  'other attempts are counted that are not there': ({ folder }) =>
    withBenchmark(folder, (benchmark) => {
      benchmark.other_attempts = { ...benchmark.other_attempts, attempts: 1e6 }
    }),
  'the cost of an attempt that does not count is forgotten': ({ folder, plan }) => {
    const { run_id } = plan.runs[0]
    const line = { run_id, job: 'control', attempt: 1, worker: 'w', started_at: '2026-01-01T00:00:00Z' }
    const file = path.join(folder, 'attempts.jsonl')
    const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
    writeFileSync(file, `${before}${JSON.stringify({ ...line, status: null, usd: null, tokens: null })}\n`)
    const undo = withBenchmark(folder, (benchmark) => {
      const { attempts = 0 } = benchmark.other_attempts ?? {}
      benchmark.other_attempts = { ...benchmark.other_attempts, attempts: attempts + 1 }
    })
    return () => {
      undo()
      writeFileSync(file, before)
    }
  },
  'an attempt is paid for twice': ({ folder }) =>
    rewritten(path.join(folder, 'spent.jsonl'), (text) => `${text}${text.split('\n')[0]}\n`),
  'a job is left in the shared folder': () => {
    const folder = path.join(shared, 'runs/control/job')
    mkdirSync(folder, { recursive: true })
    return () => {
      rmdirSync(folder)
      rmdirSync(path.dirname(folder))
    }
  },
}

/** Wrongs that went unseen; and how many there were. */
export function controls() {
  const [folder] = benchmarkFolders()
  const plan = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
  const unseen = Object.entries(wrongs).flatMap(([name, wrong]) => {
    const undo = wrong({ folder, plan })
    const { complaints } = tally()
    undo()
    return complaints.length > 0 ? [] : [`${name}, and the tally does not see it`]
  })
  const { complaints } = tally()
  return { done: Object.keys(wrongs).length, unseen: [...unseen, ...complaints.map((text) => `not undone: ${text}`)] }
}
