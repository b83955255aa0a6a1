// npm run perf: measures the speed that users feel (docs/explanation/performance.md), one line a figure; exit code 1 where a limit is passed.
import { availableParallelism, loadavg } from 'node:os'
import * as queue from './queue.mjs'
import * as runs from './runs.mjs'
import * as startup from './startup.mjs'
import * as tenThousand from './ten_thousand.mjs'
import * as thousand from './thousand.mjs'

const benchmarks = { startup, runs, thousand, ten_thousand: tenThousand, queue }

const help = `usage: node bench/perf.mjs [name…]

Measures the speed that users feel; without names, all of it (about 5 minutes).

  startup       --version, --help, bench --dry-run
  runs          makespan; CPU time of the coordinator
  thousand      1,000 runs: a second bench, aggregate, the page
  ten_thousand  10,000 runs: aggregate, memory
  queue         overhead of a queue; four workers
`

function line({ what, value, unit, limit, atLeast, detail = '', skipped }) {
  if (skipped !== undefined) return `${what.padEnd(56)}  skipped: ${skipped}`
  const isOver = atLeast === undefined ? value > limit : value < atLeast
  if (isOver) process.exitCode = 1
  const measured = `${Number(value.toPrecision(3))} ${unit}`.padStart(9)
  const bound = atLeast === undefined ? `at most ${limit} ${unit}` : `at least ${atLeast} ${unit}`
  return `${what.padEnd(56)} ${measured}  ${bound.padEnd(15)}  ${isOver ? 'OVER' : 'ok'}  ${detail}`.trimEnd()
}

process.on('SIGINT', () => process.exit(130)) // so that temporary folders are removed
const names = process.argv.slice(2)
const unknown = names.find((name) => !Object.hasOwn(benchmarks, name))
if (names.includes('--help') || names.includes('-h')) process.stdout.write(help)
else if (unknown !== undefined) {
  console.error(`error: unknown benchmark "${unknown}"\n\n${help}`)
  process.exitCode = 2
} else {
  console.log(`Node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`)
  for (const name of names.length > 0 ? names : Object.keys(benchmarks)) {
    for await (const figure of benchmarks[name].measure()) console.log(line(figure))
  }
}
