// The sandbox beside bare spawns: one process that does nothing, one with a bridge, and a whole benchmark of no-ops.
import path from 'node:path'
import { context, fresh, library, makeSkill, paired, report, request, root, timed } from './shared.mjs'

const { chooseSandbox, noWish } = await import(path.join(root, 'dist/src/base/sandbox/choose.js'))
const { runProcess } = await import(path.join(root, 'dist/src/base/spawn.js'))
const { confine } = await import(path.join(root, 'dist/src/phases/2-run/confine.js'))
const { withEndpoint } = await import(path.join(root, 'dist/src/base/sandbox/policy.js'))
const { bench } = await library()

const choice = await chooseSandbox(noWish, process.env.PATH)
if (choice.mechanism === 'none') {
  console.log(`skipped  sandbox: ${choice.reason}`)
  process.exit(0)
}
const agent = path.join(import.meta.dirname, 'noop.mjs')
const cwd = fresh()
const confined = confine(choice, { writable: [cwd], readable: [agent], hidden: [] })
const bridged = withEndpoint(confined, 'https://api.example')
const count = 20

/** Milliseconds of one process, the mean of some in a row. */
async function each(sandbox) {
  const env = { PATH: process.env.PATH, HOME: cwd }
  const { ms } = await timed(async () => {
    for (let at = 0; at < count; at += 1) {
      const { signal } = new AbortController()
      const end = await runProcess({ command: process.execPath, args: [agent], cwd, env, signal, stdin: 'x', sandbox })
      if (end.exitCode !== 0) throw new Error(end.stderrTail)
    }
  })
  return ms / count
}

async function benched(mode) {
  const cases = Array.from({ length: 10 }, (_, at) => ({
    id: at + 1,
    prompt: 'x',
    checks: [{ type: 'contains', value: 'done' }],
  }))
  const sandbox = { ...noWish, mode }
  const asked = {
    skill: makeSkill(cases),
    engine: `command:${process.execPath} ${agent}`,
    runs: 4,
    concurrency: 8,
    cache: false,
    sandbox,
  }
  const { ms, result } = await timed(() => bench(request(asked), context()))
  if (result.benchmark.counts.used !== 80) throw new Error('not all runs were used')
  return ms / 80
}

await each(confined)
const plain = await paired({ rounds: 5, floor: () => each(null), ours: () => each(confined) })
report({
  name: 'a Node process that does nothing, in the sandbox',
  value: plain.ratio,
  limit: 2,
  detail: `${plain.ours.toFixed(1)} ms, bare ${plain.floor.toFixed(1)} ms`,
})
const bridge = await paired({ rounds: 5, floor: () => each(null), ours: () => each(bridged) })
report({
  name: 'the same with a bridge to an endpoint (one more Node)',
  value: bridge.ratio,
  limit: 4,
  detail: `${bridge.ours.toFixed(1)} ms, bare ${bridge.floor.toFixed(1)} ms`,
})
const whole = await paired({ rounds: 3, floor: () => benched('off'), ours: () => benched('required') })
report({
  name: '80 runs of a no-op at concurrency 8, with the sandbox against without',
  value: whole.ratio,
  limit: 2,
  detail: `${whole.ours.toFixed(1)} ms a run, without ${whole.floor.toFixed(1)} ms`,
})
