// How close a benchmark ends to its lower bound, and what a run costs the coordinator.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { benchmarkFolder, runProgram, simpleCases, startPractice, temporaryFolder, writeSkill } from './shared.mjs'

const width = 8
const mostTurns = 6

export async function* measure() {
  yield await makespan()
  yield await coordinatorCpu()
}

/** A model whose answers take 2 s; for the prompt "turns: 3" it calls a tool twice, then answers. */
function scenario() {
  const rules = Array.from({ length: mostTurns + 1 }, (_, turns) =>
    Array.from({ length: Math.max(0, turns - 1) }, (_, index) => ({
      name: `call ${index + 1} of ${turns}`,
      when: { user: `turns: ${turns}$`, turn: index + 1 },
      tool_calls: [{ name: 'Glob', input: { pattern: '*' } }],
    })),
  ).flat()
  return { latency: 2000, rules: [...rules, { name: 'answer', text: 'done' }] }
}

async function makespan() {
  const server = await startPractice(scenario())
  try {
    const skill = writeSkill(
      [1, 2, 1, 3, 2, mostTurns, 1, 4].map((turns) => ({
        prompt: `turns: ${turns}`,
        checks: [{ type: 'contains', value: 'done' }],
      })),
    )
    const workspace = path.join(temporaryFolder(), 'workspace')
    const flags = ['--engine', 'anthropic:practice-1', '--runs', '3', '--concurrency', `${width}`]
    const { ms } = await runProgram(['bench', skill, ...flags, '--workspace', workspace], { env: server.env })
    const { runs } = JSON.parse(readFileSync(path.join(benchmarkFolder(workspace), 'benchmark.json'), 'utf8'))
    const seconds = runs.map((run) => run.result.time_seconds)
    const bound = Math.max(seconds.reduce((sum, one) => sum + one, 0) / width, ...seconds)
    const what = `makespan of ${runs.length} runs ÷ max(sum ÷ ${width}, longest)`
    return { what, value: ms / 1000 / bound, unit: '×', limit: 1.1, detail: `${(ms / 1000).toFixed(1)} s` }
  } finally {
    await server.stop()
  }
}

async function coordinatorCpu() {
  const [cases, runs] = [20, 10]
  const count = cases * 2 * runs
  const flags = ['--engine', 'command:true', '--runs', `${runs}`, '--sandbox', 'off', '--no-cache']
  const workspace = path.join(temporaryFolder(), 'workspace')
  const { cpuMs } = await runProgram(['bench', writeSkill(simpleCases(cases)), ...flags, '--workspace', workspace])
  return { what: `CPU time of the coordinator per run, ${count} runs`, value: cpuMs / count, unit: 'ms', limit: 25 }
}
