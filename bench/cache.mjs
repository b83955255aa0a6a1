// The second bench of an unchanged suite: nothing is asked of a model, and how long it takes as a user waits for it.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bin, exitOf, fresh, makeSkill, median, report, startPractice } from './shared.mjs'

const cases = Number(process.argv[2] ?? 500)
const runs = cases * 2

const verdict = { n: 1, passed: true, evidence: 'done' }
const scenario = {
  schema_version: 1,
  rules: [
    {
      name: 'judge',
      when: { tool: '^submit$' },
      tool_calls: [{ name: 'submit', input: { verdicts: [verdict] } }],
    },
    { name: 'answer', text: 'done' },
  ],
}

function bench(args, env) {
  const start = performance.now()
  const child = spawn(
    process.execPath,
    [...(process.env.PROFILE ?? '').split(' ').filter(Boolean), bin, 'bench', ...args],
    {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  return exitOf(child).then((code) => {
    if (code !== 0) throw new Error(`exit code ${code}`)
    return performance.now() - start
  })
}

/** The files of the workspace's only benchmark, by path. */
function filesIn(workspace) {
  const benchmarks = path.join(workspace, 'benchmarks')
  const [name] = readdirSync(benchmarks)
  const folder = path.join(benchmarks, name)
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => {
    const file = path.join(entry.parentPath, entry.name)
    return { name: path.relative(folder, file), data: readFileSync(file) }
  })
}

/** Milliseconds for writing them into a new folder so that a power failure takes none. */
function writeDurably(files) {
  const folder = fresh()
  const start = performance.now()
  const made = new Set()
  for (const { name, data } of files) {
    const file = path.join(folder, name)
    if (!made.has(path.dirname(file))) mkdirSync(path.dirname(file), { recursive: true })
    made.add(path.dirname(file))
    writeFileSync(file, data, { flush: true })
  }
  return performance.now() - start
}

const skill = makeSkill(
  Array.from({ length: cases }, (_, at) => ({
    id: at + 1,
    name: `case ${at + 1}`,
    prompt: `Do number ${at + 1}.`,
    expectations: ['It says that it is done.'],
    checks: [{ type: 'contains', value: 'done' }],
  })),
)
const server = await startPractice(scenario)
try {
  const workspace = path.join(fresh(), 'ws')
  const args = [
    skill,
    '--engine',
    'anthropic:practice-1',
    '--runs',
    '1',
    '--concurrency',
    '16',
    '--workspace',
    workspace,
  ]
  const first = await bench([...args, '--json'], server.env)
  const paid = server.asked()
  if (paid !== runs * 2) throw new Error(`${paid} calls of the model, expected ${runs * 2}`)
  const files = filesIn(workspace)
  const walls = []
  const floors = []
  for (let round = 0; round < 3; round += 1) {
    floors.push(writeDurably(files))
    walls.push(await bench([...args, '--json'], server.env))
  }
  report({
    name: `model calls of a second bench of ${runs} runs`,
    value: server.asked() - paid,
    limit: 0,
    unit: 'calls',
    detail: `the first made ${paid}`,
  })
  const [wall, all] = [median(walls), walls.map((ms) => (ms / 1000).toFixed(2)).join(', ')]
  report({
    name: `the second bench of ${runs} runs`,
    value: wall / 1000,
    limit: 2,
    unit: 's',
    detail: `${all} s; the first ${(first / 1000).toFixed(0)} s`,
  })
  report({
    name: `the same ÷ writing its ${files.length} files, each with a sync`,
    value: median(walls.map((wall, at) => wall / floors[at])),
    limit: 1,
    detail: `${floors.map((ms) => (ms / 1000).toFixed(2)).join(', ')} s`,
  })
} finally {
  await server.end()
}
