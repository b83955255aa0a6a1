// Helpers of the benchmarks: temporary folders, small skills, the program as a process, the practice model.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

export const root = path.dirname(import.meta.dirname)
export const bin = path.join(root, 'dist/program/bin.js')
export const baseEnv = { PATH: process.env.PATH, HOME: process.env.HOME }

const folders = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Is removed when the process exits. */
export function temporaryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'perf-'))
  folders.push(folder)
  return folder
}

/** A skill folder with one case for each item of `cases`. */
export function writeSkill(cases) {
  const folder = path.join(temporaryFolder(), 'quick')
  mkdirSync(path.join(folder, 'evals'), { recursive: true })
  writeFileSync(
    path.join(folder, 'SKILL.md'),
    '---\nname: quick\ndescription: Does nothing, quickly.\n---\n\nSay done.\n',
  )
  const evals = cases.map((one, index) => ({ id: index + 1, name: `case ${index + 1}`, ...one }))
  writeFileSync(path.join(folder, 'evals/evals.json'), JSON.stringify({ skill_name: 'quick', evals }))
  return folder
}

/** `count` cases that an agent without an answer passes. */
export function simpleCases(count) {
  return Array.from({ length: count }, (_, index) => ({
    prompt: `task ${index + 1}`,
    checks: [{ type: 'not_contains', value: 'failed' }],
  }))
}

/**
 * Runs the program as a user does and waits for its end. `ms`: from start to exit; `cpuMs` and `peakBytes`: of its own process,
 * without agents. `onLine` gets each line of stdout and the process.
 */
export async function runProgram(args, { env = {}, exitCode = 0, onLine = () => {} } = {}) {
  const folder = temporaryFolder()
  const usageFile = path.join(folder, 'usage.json')
  const usage = path.join(import.meta.dirname, 'usage.mjs')
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', usage, bin, ...args], {
    cwd: folder,
    env: { ...baseEnv, ...env, PERF_USAGE_FILE: usageFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  createInterface({ input: child.stdout }).on('line', (line) => onLine(line, child))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const [code] = await once(child, 'close')
  const ms = performance.now() - start
  if (code !== exitCode) throw new Error(`whetstone ${args.join(' ')}: exit code ${code}\n${errors.slice(-2000)}`)
  return { ms, ...JSON.parse(readFileSync(usageFile, 'utf8')) }
}

/** The only benchmark of a workspace. */
export function benchmarkFolder(workspace) {
  const benchmarks = path.join(workspace, 'benchmarks')
  return path.join(benchmarks, readdirSync(benchmarks)[0])
}

/** The practice model in a process of its own. `calls()`: how many answers it was asked for so far. */
export async function startPractice(scenario) {
  const folder = temporaryFolder()
  const [file, log] = [path.join(folder, 'scenario.json'), path.join(folder, 'log.jsonl')]
  writeFileSync(file, JSON.stringify({ schema_version: 1, ...scenario }))
  const args = [bin, 'practice', '--scenario', file, '--port', '0', '--log', log]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [address] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    env: { ANTHROPIC_BASE_URL: address.trim(), ANTHROPIC_API_KEY: 'practice' },
    calls() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
      return lines.filter((line) => line.includes('"/v1/messages"')).length
    },
    stop: () => stop(child),
  }
}

export async function stop(child) {
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

/** The results of `measure`, one call after the other. */
export async function repeat(count, measure) {
  const results = []
  while (results.length < count) results.push(await measure())
  return results
}
