// What the benches share: a suite in a temporary folder, the library from dist, medians, one line of result.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const root = path.dirname(import.meta.dirname)
export const bin = path.join(root, 'dist/src/cli/bin.js')
export const library = () => import(path.join(root, 'dist/src/index.js'))

const made = []
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

export function fresh() {
  const folder = mkdtempSync(path.join(tmpdir(), 'perf-'))
  made.push(folder)
  return folder
}

export function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

/** A skill folder with these cases. */
export function makeSkill(evals) {
  return write(path.join(fresh(), 'quick'), {
    'SKILL.md': '---\nname: quick\ndescription: Does nothing, quickly.\n---\n\nSay done.\n',
    'evals/evals.json': JSON.stringify({ skill_name: 'quick', evals }),
  })
}

export const request = (changes) => ({
  suite: null,
  baseline: null,
  cases: [],
  model: null,
  judge: null,
  runs: 1,
  concurrency: 8,
  timeoutSeconds: 120,
  maxTurns: null,
  retries: 0,
  activation: 'natural',
  onTimeout: 'fail',
  workspace: path.join(fresh(), 'ws'),
  fresh: true,
  cache: false,
  passEnv: [],
  sandbox: { mode: 'off', network: null, readable: [] }, // measured by itself: bench/sandbox.mjs
  ...changes,
})

export const context = (env = {}) => ({
  emit: () => {},
  env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  drain: new AbortController().signal,
  signal: new AbortController().signal,
  now: () => new Date(),
})

export async function timed(work) {
  const start = performance.now()
  const result = await work()
  return { ms: performance.now() - start, result }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Median over the rounds of ours ÷ floor, both measured in each round, in turns. */
export async function paired({ rounds, floor, ours }) {
  const pairs = []
  for (let round = 0; round < rounds; round += 1) pairs.push({ floor: await floor(), ours: await ours() })
  return {
    ratio: median(pairs.map((pair) => pair.ours / pair.floor)),
    floor: median(pairs.map((pair) => pair.floor)),
    ours: median(pairs.map((pair) => pair.ours)),
  }
}

/** Prints one line and leaves a nonzero exit code where the limit is passed. */
export function report({ name, value, limit, unit = '×', detail = '' }) {
  const isOver = value > limit
  if (isOver) process.exitCode = 1
  const shown = unit === '×' ? `${value.toFixed(2)} ×` : `${value.toFixed(1)} ${unit}`
  console.log(`${isOver ? 'OVER' : 'ok  '}  ${name}: ${shown} (limit ${limit} ${unit})${detail ? `; ${detail}` : ''}`)
}

/** The practice model in a process of its own; `asked` counts the requests for an answer so far. */
export async function startPractice(scenario) {
  const folder = write(fresh(), { 'scenario.json': JSON.stringify(scenario) })
  const [file, log] = [path.join(folder, 'scenario.json'), path.join(folder, 'log.jsonl')]
  const child = spawn(process.execPath, [bin, 'practice', '--scenario', file, '--port', '0', '--log', log], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    env: { ANTHROPIC_BASE_URL: line.trim(), ANTHROPIC_API_KEY: 'practice' },
    /** One JSON line for each request that has ended. */
    log,
    asked: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter((line) => line.includes('"/v1/messages"'))
        .length,
    async end() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** The most that a process had resident, by the system's own count; 0 when it is gone. */
export function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

export function exitOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}

/** Calls `work` for 0…count-1, at most `width` at once. */
export async function wide(count, width, work) {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

/**
 * ext4 without a journal looks past every inode that was deleted in the last minutes, as long as their blocks are in memory: after a bench that
 * removed thousands of files the next one would pay for that, and so would one side for the other. Only root may let them go; others wait some minutes between benches.
 */
export function settle() {
  if (process.platform !== 'linux') return
  spawnSync('sync')
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '3')
  } catch {
    // not root
  }
}
