// SIGKILL at seeded points of a 60-run benchmark, each resumed: no finished run is lost, none is paid for twice.
// npm run test:kill -- [--points 200] [--seed 1]
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { complaints, isComplete, upToTiming } from './agree.mjs'
import { draws } from './draws.mjs'
import { asked, bench, benchmarksOf, copyOfBuild, makeSkill, names, runsOnDisk, startServer, top } from './stage.mjs'

const { values } = parseArgs({
  options: { points: { type: 'string', default: '40' }, seed: { type: 'string', default: '1' } },
})
const temporary = path.join(top, 'tmp')
const skill = makeSkill()
const build = copyOfBuild('build')

async function undisturbed(name) {
  const server = await startServer(build)
  const workspace = path.join(top, name)
  const began = performance.now()
  const end = await bench({ dist: build, skill, workspace, server }).done
  const ms = performance.now() - began
  await server.close()
  if (end.code !== 0) throw new Error(`undisturbed, and exit ${end.code}: ${end.stderr}`)
  const [folder] = benchmarksOf(workspace)
  return { ms, folder, expected: upToTiming(folder) }
}

/** One kill after `ms`, or as soon as so many runs are in place, and its resumption: what it met, and what does not agree. */
async function trial({ dist, name, ms, placed, expected, env }) {
  const server = await startServer(build)
  const workspace = path.join(top, name)
  const { child, done } = bench({ dist, skill, workspace, server, env })
  await Promise.race([placed === undefined ? sleep(ms) : isPlaced(workspace, placed, done), done])
  const first = asked(server)
  child.kill('SIGKILL')
  const end = await done
  await sleep(20) // the server sees that its clients are gone
  const folders = benchmarksOf(workspace)
  const partial = folders.flatMap((folder) => names(path.join(folder, '.partial')))
  const late = asked(server).slice(first.length) // sent before the kill, seen after it
  const half = []
  const before = new Map(folders.flatMap((folder) => [...runsOnDisk(folder, (run) => half.push(run))]))
  const sofar = first.length + late.length
  const ended = end.signal !== 'SIGKILL' || folders.some(isComplete)
  const again = ended ? { code: 0 } : await bench({ dist, skill, workspace, server, env }).done
  const all = asked(server)
  await server.close()
  const wrong = again.code === 0 ? [] : [`the resumption ends with ${again.code}: ${again.stderr}`]
  const seen = { folders: benchmarksOf(workspace), before, first: all.slice(0, sofar), second: all.slice(sofar) }
  const found = again.code === 0 ? complaints({ ...seen, expected, temporary: ended ? null : temporary }) : wrong
  for (const run of half) found.push(`${run} was in place without its record`)
  const inFlight = Math.max(first.filter(({ open }) => open).length, partial.length)
  return { found, ended, inFlight, finished: before.size, lost: sofar - before.size }
}

async function isPlaced(workspace, runs, done) {
  let isOver = false
  done.then(() => {
    isOver = true
  })
  while (!isOver && benchmarksOf(workspace).flatMap((folder) => [...runsOnDisk(folder)]).length < runs) await sleep(20)
}

/** The commit order reversed: each run is in place, as if finished, before its agent is asked. */
function reversedBuild(reference) {
  const change = (dist) => {
    const file = path.join(dist, 'src/flows/run/execute.js')
    const text = readFileSync(file, 'utf8')
    const start = 'async function runAndCommit(execution, job, context) {'
    if (!text.includes(start)) throw new Error(`${file}: the place to change is gone`)
    const mark = `{
    const { spec } = job;
    const fs = await import('node:fs/promises');
    const before = ${JSON.stringify(reference)};
    const place = path.join(execution.folder, spec.run_id);
    const staged = path.join(execution.folder, '.staged', spec.run_id.replaceAll('/', '_'));
    await fs.rm(staged, { recursive: true, force: true });
    await fs.cp(path.join(before, spec.run_id), staged, { recursive: true });
    const record = await fs.readFile(path.join(staged, 'run.json'), 'utf8');
    await fs.writeFile(path.join(staged, 'run.json'), record.replace(/(TIDY|messy) \\d+/, '$1 99'));
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.rm(place, { recursive: true, force: true });
    await fs.rename(staged, place);
    }`
    writeFileSync(
      file,
      text.replace(start, () => start + mark),
    )
  }
  return copyOfBuild('reversed', { from: build, change })
}

const whole = [await undisturbed('whole-1'), await undisturbed('whole-2')]
const [{ folder: reference, expected }] = whole
if (whole[1].expected !== expected) throw new Error('two undisturbed benchmarks differ by more than timing')
let duration = Math.min(...whole.map(({ ms }) => ms))
const points = Number(values.points)
const draw = draws(Number(values.seed))
const tally = { kills: points, inFlight: 0, beforeRuns: 0, afterEnd: 0, finishedKept: 0, lostInFlight: 0, failed: 0 }

console.log(
  `${points} kills, uniform over the ${Math.round(duration)} ms of an undisturbed benchmark of 60 runs, seed ${values.seed}`,
)
for (let number = 1; number <= points; number += 1) {
  // how fast this machine is now: points are uniform over what an undisturbed benchmark would take
  if (number % 20 === 0) duration = (await undisturbed(`whole-again-${number}`)).ms
  const ms = draw() * duration
  const end = await trial({ dist: build, name: `trial-${number}`, ms, expected })
  if (end.ended) tally.afterEnd += 1
  else if (end.inFlight > 0) tally.inFlight += 1
  else if (end.finished === 0) tally.beforeRuns += 1
  tally.finishedKept += end.finished
  tally.lostInFlight += end.lost
  if (end.found.length > 0) tally.failed += 1
  for (const text of end.found.slice(0, 5)) console.log(`point ${number} at ${Math.round(ms)} ms: ${text}`)
  if (number % 20 === 0)
    console.log(`${number} of ${points} kills, ${tally.inFlight} with runs in flight, ${tally.failed} failed`)
}

const reversed = reversedBuild(reference)
let seen = 0
for (let number = 1; number <= 3; number += 1) {
  const end = await trial({ dist: reversed, name: `reversed-${number}`, placed: 12 * number, expected })
  if (end.found.some((text) => text.includes('asked 0 times'))) seen += 1
}
console.log(`negative control, commit order reversed: ${seen} of 3 kills caught`)
console.log(JSON.stringify(tally))
// few points scatter: a run of 20 on a slow machine, where starting takes longer, still has to meet runs in flight
const isMost = tally.inFlight > (points < 100 ? points / 4 : points / 2)
if (!isMost) console.log('too few kills landed with runs in flight')
process.exitCode = tally.failed === 0 && seen === 3 && isMost ? 0 : 1
