// What every trial needs: a suite of 10 cases (60 runs), a practice server that tells its answers apart, the program.
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.join(import.meta.dirname, '../..')
export const top = mkdtempSync(path.join(tmpdir(), 'kill-'))

/** A copy of a build, so that another build meanwhile changes nothing; `change` may edit its files. */
export function copyOfBuild(name, { from = path.join(root, 'dist'), change = () => {} } = {}) {
  const copy = path.join(top, name)
  cpSync(from, path.join(copy, 'dist'), { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'))
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  change(path.join(copy, 'dist'))
  return path.join(copy, 'dist')
}

export const runsPlanned = 60

export function makeSkill() {
  const folder = path.join(top, 'tidy')
  const cases = Array.from({ length: 10 }, (_, at) => ({ id: at + 1, prompt: `task ${at + 1}.` }))
  const evals = cases.map((one) => ({ ...one, checks: [{ type: 'contains', value: 'TIDY' }] }))
  mkdirSync(path.join(folder, 'evals'), { recursive: true })
  writeFileSync(path.join(folder, 'SKILL.md'), '---\nname: tidy\ndescription: Tidies up.\n---\n\nSay TIDY.\n')
  writeFileSync(path.join(folder, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  return folder
}

/** The answer names the conversation's number: with task and arm it says which request made a run on disk. */
const scenario = `
latency: { uniform: [100, 260] }
rules:
  - { name: with, when: { system: 'SKILL\\.md' }, text: 'TIDY {{seed}}' }
  - { name: without, text: 'messy {{seed}}' }
`

export async function startServer(dist) {
  const { startPractice } = await import(path.join(dist, 'src/features/practice/server.js'))
  const { parseScenario } = await import(path.join(dist, 'src/features/practice/scenario/scenario.js'))
  return startPractice({ scenario: parseScenario(scenario, 'kill.yaml') })
}

/** Requests of agents so far, as `<task> <arm> <number>`; `open`: not answered. */
export function asked(server) {
  const agents = server.requests.filter((one) => one.path === '/v1/messages')
  return agents.map((one) => {
    const task = /task \d+\./.exec(JSON.stringify(one.messages))?.[0]
    const arm = one.rule === 'with' ? 'with_skill' : 'without_skill'
    return { run: `${task} ${arm} ${one.seed}`, open: one.status === null }
  })
}

/** Starts the benchmark; `done` resolves with its exit code and stderr. */
export function bench({ dist, skill, workspace, server, env = {} }) {
  const flags = ['--engine', 'anthropic:practice-1', '--workspace', workspace]
  const args = [path.join(dist, 'src/cli/bin.js'), 'bench', skill, ...flags]
  const temporary = path.join(top, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const credentials = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'x' }
  const own = { PATH: process.env.PATH, HOME: top, TMPDIR: temporary, ...credentials }
  const child = spawn(process.execPath, args, {
    cwd: top,
    env: { ...own, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const done = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, stderr })))
  return { child, done }
}

/** The benchmark folders of a workspace. */
export function benchmarksOf(workspace) {
  const folder = path.join(workspace, 'benchmarks')
  return names(folder).map((name) => path.join(folder, name))
}

/** The runs in place: folder → which request made it, and when it started. `onHalf` gets what is there without its record. */
export function runsOnDisk(folder, onHalf = () => {}) {
  const found = new Map()
  for (const name of names(folder).filter((one) => one.startsWith('eval-'))) {
    for (const arm of ['with_skill', 'without_skill']) {
      for (const run of names(path.join(folder, name, arm)).filter((one) => one.startsWith('run-'))) {
        const at = path.join(folder, name, arm, run)
        if (!existsSync(path.join(at, 'run.json'))) {
          onHalf(path.relative(folder, at))
          continue
        }
        const record = JSON.parse(readFileSync(path.join(at, 'run.json'), 'utf8'))
        const number = /\d+$/.exec(record.final_response)?.[0]
        found.set(path.relative(folder, at), {
          made: `task ${record.eval_id}. ${arm} ${number}`,
          started: record.started_at,
          at,
        })
      }
    }
  }
  return found
}

export function names(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
