// What a queue adds: runs through Redis and one worker against the same bench on this machine alone; four workers against one.
// node bench/queue.mjs COUNT [workers] [places] [tmp]: so many runs whose engine is inside the worker, with all their artefacts;
// `tmp`: the workers' temporary folder, such as one in memory (docs/scale.md).
import path from 'node:path'
import { benched, cpuOf, startRedis, startWorker } from './queue_parts.mjs'
import { fresh, median, report } from './shared.mjs'

const rounds = 3
const places = 4
const count = 400
const waiting = 480 // with 160 the first moments of a coordinator, which has just been started, are a tenth of it
const [many, workersOfMany = 2, placesOfMany = 8] = process.argv.slice(2, 5).map(Number)
const tmp = process.argv[5]

async function overhead(queue) {
  const instant = []
  await benched('true', count, { more: queue }) // a worker lives for days: its first minute is not measured
  for (let round = 0; round < rounds; round += 1) {
    const local = await benched('true', count, { more: ['--concurrency', String(places)] })
    const far = await benched('true', count, { more: [...queue, '--in-flight', String(4 * places)] })
    instant.push(far.ms - local.ms)
  }
  const name = `what the queue adds to a run, ${count} runs of true, one worker of ${places} places`
  report({ name, value: median(instant) / count, limit: 3, unit: 'ms a run' })
}

async function scaling(queue, workers) {
  const slow = async () => {
    const times = []
    for (let round = 0; round < rounds; round += 1) {
      times.push((await benched('sleep 0.2', waiting, { more: [...queue, '--in-flight', String(8 * places)] })).ms)
    }
    return median(times)
  }
  const one = await slow()
  while (workers.length < 4) workers.push(await startWorker(queue, { places }))
  const four = await slow()
  report({
    name: `time of four workers ÷ a quarter of one's, agents that wait 200 ms`,
    value: (4 * four) / one,
    limit: Number((4 / 3.6).toFixed(2)),
    detail: `${(one / four).toFixed(2)} × as fast: ${one.toFixed(0)} ms, ${four.toFixed(0)} ms`,
  })
}

const inMegabytes = (mebibytes) => (mebibytes * 2 ** 20) / 1e6

async function instant(queue, redis, workers) {
  const program = path.join(import.meta.dirname, 'instant_worker.mjs')
  while (workers.length < workersOfMany) workers.push(await startWorker(queue, { places: placesOfMany, program, tmp }))
  const others = [redis, ...workers]
  const before = others.map(({ pid }) => cpuOf(pid))
  const cpu = []
  const inFlight = 4 * workersOfMany * placesOfMany
  const { ms, peak, peakRunning, after } = await benched('true', many, {
    cases: 100,
    more: [...queue, '--in-flight', String(inFlight)],
    onEnd: (own) => cpu.push(own, ...others.map(({ pid }, at) => cpuOf(pid) - before[at])),
  })
  const [own, server, ...of] = cpu.map((seconds) => (seconds * 1000) / many)
  const worked = of.reduce((sum, one) => sum + one, 0)
  const where = tmp === undefined ? '' : `, temporary folder ${tmp}`
  const how = `${workersOfMany} workers of ${placesOfMany} places${where}, ${inFlight} in flight`
  report({
    name: `time of ${many} instant runs, engine inside the worker`,
    value: ms / many,
    limit: 2,
    unit: 'ms a run',
    detail:
      `${((many / ms) * 1000).toFixed(0)} runs/s with ${how}; CPU a run: coordinator ${own.toFixed(2)} ms, ` +
      `workers ${worked.toFixed(2)} ms, Redis ${server.toFixed(2)} ms`,
  })
  report({
    name: `memory of their coordinator, its reports included`,
    value: inMegabytes(peak),
    limit: 300,
    unit: 'MB',
    detail: `${inMegabytes(peakRunning).toFixed(0)} MB until the last run had ended; the reports took ${(after / 1000).toFixed(0)} s`,
  })
}

const redis = await startRedis()
const queue = ['--queue', redis.url, '--shared', fresh()]
const workers = []
try {
  if (many > 0) await instant(queue, redis, workers)
  else {
    workers.push(await startWorker(queue, { places }))
    await overhead(queue)
    await scaling(queue, workers)
  }
} finally {
  for (const worker of workers) await worker.end()
  await redis.end()
}
