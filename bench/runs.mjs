// Many runs of an agent that does nothing, against spawning it as often with the same durable writes; CPU of the coordinator.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  context,
  exitOf,
  fresh,
  library,
  makeSkill,
  median,
  report,
  request,
  root,
  settle,
  timed,
  wide,
} from './shared.mjs'

const { bench } = await library()
const { setForSeconds } = await import(path.join(root, 'dist/src/cli/v8_flags.js'))
setForSeconds() // as the program does, for both sides
const agent = path.join(import.meta.dirname, 'noop.mjs')
const runsOfCase = 10
const cases = Array.from({ length: 10 }, (_, at) => ({
  id: at + 1,
  prompt: 'x',
  checks: [{ type: 'contains', value: 'done' }],
}))
const count = cases.length * 2 * runsOfCase
const width = 32

/** Files of a finished run as they lie on disk, the larger the truer: read from a benchmark that was made. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return { name: path.relative(folder, file), text: readFileSync(file) }
    })
}

async function sync(file) {
  const handle = await open(file, 'r')
  await handle.sync()
  await handle.close()
}

async function atomic(file, text) {
  const temporary = `${file}.tmp`
  const handle = await open(temporary, 'wx')
  await handle.writeFile(text)
  await handle.sync()
  await handle.close()
  await rename(temporary, file)
  await sync(path.dirname(file))
}

/** What any coordinator has to do: start it, wait for it, make its files durable, move them into place, write the grading. */
async function bare(target, number, files) {
  const { env } = context() // as ours gets it: what the user's own says of certificates alone makes a Node start twice as slow
  const child = spawn(process.execPath, [agent], { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  child.stdin.on('error', () => {}).end('x')
  child.stdout.resume()
  child.stderr.resume()
  await exitOf(child)
  const partial = path.join(target, `partial-${number}`)
  const run = files.filter(({ name }) => name !== 'grading.json')
  await mkdir(path.join(partial, 'outputs'), { recursive: true })
  for (const { name, text } of run) await writeFile(path.join(partial, name), text)
  for (const { name } of run) await sync(path.join(partial, name))
  await sync(partial)
  const place = path.join(target, `run-${number}`)
  await rename(partial, place)
  await sync(target)
  for (const { name, text } of files) if (name === 'grading.json') await atomic(path.join(place, name), text)
}

async function ours() {
  const skill = makeSkill(cases)
  const before = process.cpuUsage()
  const asked = request({ skill, engine: `command:${process.execPath} ${agent}`, runs: runsOfCase, concurrency: width })
  const { ms, result } = await timed(() => bench(asked, context()))
  const cpu = process.cpuUsage(before)
  if (result.benchmark.counts.used !== count) throw new Error(`only ${result.benchmark.counts.used} runs`)
  return { ms, folder: result.folder, cpuMs: (cpu.user + cpu.system) / 1000 }
}

async function floor(files) {
  const target = fresh()
  const before = process.cpuUsage()
  const { ms } = await timed(() => wide(count, width, (number) => bare(target, number, files)))
  const cpu = process.cpuUsage(before)
  if (!existsSync(path.join(target, `run-${count - 1}`, 'run.json'))) throw new Error('the floor wrote nothing')
  return { ms, cpuMs: (cpu.user + cpu.system) / 1000 }
}

const warm = await ours()
const first = path.join(
  warm.folder,
  readdirSync(warm.folder).find((name) => name.startsWith('eval-')),
)
const files = filesOf(path.join(first, 'with_skill/run-1'))
const pairs = []
/** Neither pays for the files that were removed before it. */
async function settled(side) {
  settle()
  spawnSync(process.execPath, [agent]) // what starts the agents is in memory again
  return await side()
}
for (let round = 0; round < 3; round += 1) {
  pairs.push({ floor: await settled(() => floor(files)), ours: await settled(ours) })
}
const middle = (pick) => median(pairs.map(pick))
report({
  name: `${count} runs of a no-op at concurrency ${width}`,
  value: middle((pair) => pair.ours.ms / pair.floor.ms),
  limit: 1.25,
  detail: `${middle((pair) => pair.ours.ms).toFixed(0)} ms, bare spawns and writes ${middle((pair) => pair.floor.ms).toFixed(0)} ms`,
})
const bareCpu = middle((pair) => pair.floor.cpuMs / count)
report({
  name: 'CPU of the coordinator',
  value: middle((pair) => pair.ours.cpuMs / count),
  limit: Number(Math.max(5, 1.25 * bareCpu).toFixed(1)), // 5 ms where bare spawns and writes take 4, as on the machine it was set on
  unit: 'ms a run',
  detail: `the bare one ${bareCpu.toFixed(1)} ms`,
})
