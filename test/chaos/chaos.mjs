// Chaos, bounded and seeded: a benchmark through a queue while workers, coordinator, server, disk, clock and network fail.
// npm run test:chaos -- [--runs 1000] [--seed 1] [--server redis|postgres] [--seconds 600]
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { draws } from '../kill/draws.mjs'
import { controls } from './controls.mjs'
import { can, faults, ownNetwork, skewed, smallDisk } from './faults.mjs'
import { agentsAlive, tally } from './tally.mjs'
import { makeSuite, signalWorker, startCoordinator, startServer, startWorker, top } from './world.mjs'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    server: { type: 'string', default: 'redis' },
    seconds: { type: 'string', default: '900' },
    ms: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const casesPlanned = 50
const runs = Math.max(1, Math.round(Number(values.runs) / (2 * casesPlanned)))
// few runs are longer ones, so that each kind of fault has its time
const ms = Number(values.ms ?? Math.max(300, Math.round(600_000 / (runs * 2 * casesPlanned))))
const draw = draws(Number(values.seed))
// what the machine keeps of it goes also where it ends early
const kept = []
process.on('exit', () => {
  for (const one of kept) one.end()
})
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
const network = can.network ? ownNetwork() : null
if (network) kept.push(network)
const server = await startServer(values.server, ['127.0.0.1', ...(network ? [network.address] : [])])
const disk = can.disk ? smallDisk() : null
if (disk) kept.push(disk)
const skill = makeSuite({ cases: casesPlanned, ms })
const url = server.url('127.0.0.1')
const world = {
  ...{ draw, server, network, disk, url, places: 4, gone: [], restarts: 0 },
  pick: (count) => Math.floor(draw() * count),
  startCoordinator() {
    world.restarts += 1
    world.coordinator = startCoordinator({ skill, url, runs, inFlight: 40 })
    world.coordinator.done.then((end) => {
      if (end.signal === null) world.end = end
    })
  },
}
world.workers = [1, 2, 3].map(() => startWorker({ url, places: world.places }))
// those that live under other conditions stay what they are: they are not killed at random
const special = [
  ...(can.clock ? [startWorker({ url, places: 2, env: skewed })] : []),
  ...(network ? [startWorker({ url: server.url(network.address), places: 2, through: network.through })] : []),
  ...(disk ? [startWorker({ url, places: 2, temporary: disk.folder })] : []),
]
console.log(
  `${runs * 2 * casesPlanned} runs through ${values.server}, ${world.workers.length + special.length} workers, seed ${values.seed}; ` +
    `clock ${can.clock ? 'skewed' : 'left alone (no libfaketime)'}, network ${network ? 'cut' : 'left alone (no ip netns)'}, ` +
    `disk ${disk ? 'filled' : 'left alone (no mount)'}`,
)
const names = Object.keys(faults).filter((name) => (network || !/cut/.test(name)) && (disk || !/disk/.test(name)))
const done = {}
const began = performance.now()
const leftMs = () => Number(values.seconds) * 1000 - (performance.now() - began)
const late = () => leftMs() < 0
world.startCoordinator()
let order = []
while (world.end === undefined && !late()) {
  await sleep(1000 + draw() * 2500)
  if (world.end !== undefined) break
  // each kind once before any comes again, in another order every time
  if (order.length === 0)
    order = names
      .map((name) => [draw(), name])
      .sort(([a], [b]) => a - b)
      .map(([, name]) => name)
  const name = order.pop()
  await faults[name](world)
  done[name] = (done[name] ?? 0) + 1
}
// what failed of it (damaged inputs) is made by the same command once more
for (let again = 0; world.end?.code !== 0 && again < 4 && !late(); again += 1) {
  console.log(`the coordinator ended with ${world.end?.code}: ${world.end?.said.trim().split('\n').at(-1)}; once more`)
  world.end = undefined
  world.startCoordinator()
  await Promise.race([world.coordinator.done, sleep(Math.max(0, leftMs()), undefined, { ref: false })])
}
if (world.end === undefined) {
  world.coordinator.child.kill('SIGKILL')
  console.log(`no end within ${values.seconds} s:`, world.coordinator)
}
const missing = [
  ...names.filter((name) => !done[name]).map((name) => `it ended before this could happen: ${name}`),
  ...(process.env.WHETSTONE_REQUIRE_ALL
    ? Object.keys(can).flatMap((kind) => (can[kind] ? [] : [`this machine can't do it: ${kind}`]))
    : []),
]
const all = [...world.workers, ...special]
for (const one of all) signalWorker(one, 'SIGCONT')
for (const one of all) signalWorker(one, 'SIGTERM')
await Promise.race([
  Promise.all(
    all.map(
      ({ child }) =>
        new Promise((resolve) =>
          child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(),
        ),
    ),
  ),
  sleep(15_000),
])
for (const one of all) signalWorker(one, 'SIGKILL')
for (let tries = 0; agentsAlive().length > 0 && tries < 50; tries += 1) await sleep(100)
const { complaints, numbers } = world.end === undefined ? { complaints: ['it did not end'], numbers: {} } : tally()
complaints.push(...missing)
if (complaints.length === missing.length) {
  const { done: wrongs, unseen } = controls()
  complaints.push(...unseen)
  console.log(`controls: ${wrongs - unseen.length} of ${wrongs} wrongs done by hand are seen by the tally`)
}
await server.kill()
for (const one of kept.splice(0)) one.end()
const reasons = {}
for (const one of [...all, ...world.gone]) {
  for (const [why, times] of Object.entries(one.reasons)) reasons[why] = (reasons[why] ?? 0) + times
}
console.log('faults:', JSON.stringify(done))
console.log('what workers said:', JSON.stringify(reasons, null, 1))
console.log(
  'tally:',
  JSON.stringify({ ...numbers, coordinators: world.restarts, seconds: Math.round((performance.now() - began) / 1000) }),
)
for (const text of complaints.slice(0, 20)) console.log(`WRONG: ${text}`)
console.log(
  complaints.length === 0
    ? 'every planned run ended exactly once; nothing is lost, doubled or left behind'
    : `${complaints.length} complaints; see ${top}`,
)
if (complaints.length === 0 && !values.keep && existsSync(top)) rmSync(top, { recursive: true, force: true })
process.exit(complaints.length === 0 ? 0 : 1)
