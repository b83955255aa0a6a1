/** A benchmark killed in the middle goes on: no finished run is lost or done again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { agent, fresh, whetstone } from '../program.ts'
import { tidySkill } from './benched.ts'

function setUp(agentMs = 150) {
  const folder = fresh()
  const log = path.join(folder, 'agent.log')
  const workspace = path.join(folder, 'ws')
  const args = ['bench', tidySkill(4), '--engine', agent('tidy.mjs'), '--workspace', workspace]
  const flags = ['--sandbox', 'off', '--concurrency', '4', '--pass-env', 'AGENT_LOG', '--pass-env', 'AGENT_MS']
  const env = { AGENT_LOG: log, AGENT_MS: String(agentMs) }
  const lines = (word: string) =>
    (existsSync(log) ? readFileSync(log, 'utf8').match(new RegExp(`^${word} \\d+`, 'gm')) : null) ?? []
  return { args: [...args, ...flags], env, workspace, lines, starts: () => lines('start').length }
}

type Made = ReturnType<typeof setUp>

/** Runs in their place: `<benchmark>/<case>/<arm>/<run>` → when each started. The tree changes while it is looked at. */
function committed({ workspace }: Made): Map<string, string> {
  const below = (folder: string) => {
    try {
      return readdirSync(folder).map((name) => path.join(folder, name))
    } catch {
      return []
    }
  }
  const cases = below(path.join(workspace, 'benchmarks')).flatMap(below)
  const evals = cases.filter((name) => path.basename(name).startsWith('eval-'))
  const files = evals
    .flatMap(below)
    .flatMap(below)
    .map((run) => path.join(run, 'run.json'))
  return new Map(files.filter(existsSync).map((file) => [file, JSON.parse(readFileSync(file, 'utf8')).started_at]))
}

/** The program, signalled as often as there are signals once this is so. */
function signalled(
  made: Made,
  signals: readonly NodeJS.Signals[],
  isTime: () => boolean,
  args: readonly string[] = made.args,
) {
  return whetstone(args, {
    env: made.env,
    started: async (child) => {
      while (!isTime()) await sleep(10)
      for (const signal of signals) {
        child.kill(signal)
        await sleep(100)
      }
    },
  })
}

const leases = ({ workspace }: Made) =>
  readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.lease'))

describe('SIGKILL in the middle of 24 runs', () => {
  async function killed(): Promise<Made & { before: Map<string, string> }> {
    const made = setUp()
    const end = await signalled(made, ['SIGKILL'], () => committed(made).size >= 7)
    expect(end.signal).toBe('SIGKILL')
    expect(leases(made)).toHaveLength(1)
    return { ...made, before: committed(made) }
  }
  test('then the same command does only what is missing', async () => {
    const { before, ...made } = await killed()
    const again = await whetstone(made.args, { env: made.env })
    expect(again).toMatchObject({ code: 0 })
    expect(again.stderr).toContain(`${before.size} of 24 runs already done`)
    const after = committed(made)
    expect(after.size).toBe(24)
    expect([...before].filter(([name, at]) => after.get(name) !== at)).toEqual([])
    expect(readdirSync(path.join(made.workspace, 'benchmarks'))).toHaveLength(1)
    expect(leases(made)).toEqual([])
  })
  test('negative control: a run not at its place is done again', async () => {
    const { before, ...made } = await killed()
    const [[first = '', at] = []] = before
    mkdirSync(path.join(made.workspace, 'aside'))
    renameSync(path.dirname(first), path.join(made.workspace, 'aside/run'))
    await whetstone([...made.args, '--no-cache'], { env: made.env })
    expect(committed(made).get(first)).not.toBe(at)
  })
})

describe('Ctrl-C', () => {
  test('lets running work end, writes what there is, says that it was stopped', async () => {
    const made = setUp()
    const end = await signalled(made, ['SIGINT'], () => committed(made).size >= 4)
    expect(end.code).toBe(130)
    expect(end.stdout).toContain('INCOMPLETE')
    expect(leases(made)).toEqual([])
    expect(made.starts()).toBe(committed(made).size)
    expect((await whetstone(made.args, { env: made.env })).code).toBe(0)
    expect(made.starts()).toBe(24)
  })
  test.each<[string, NodeJS.Signals[], number | null]>([
    ['twice', ['SIGINT', 'SIGINT'], 130],
    ['once, by a terminal that closes,', ['SIGHUP'], null],
  ])('%s ends at once, leaves no agent behind and keeps what was finished', async (_, signals, code) => {
    const made = setUp(60_000)
    const end = await signalled(made, signals, () => made.starts() >= 4)
    expect(end.code).toBe(code)
    expect(made.lines('end')).toEqual([])
    const pids = made.lines('start').map((line) => line.replace('start ', ''))
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  })
})

describe('Ctrl-C tells which command goes on', () => {
  const same = 'continue with the same command'
  const cut = (made: Made, signals: number, args: readonly string[]) =>
    signalled(made, Array(signals).fill('SIGINT'), () => made.starts() >= 1, args)

  test('after one, and after two', async () => {
    const [one, two] = [setUp(300), setUp(60_000)]
    const drained = await cut(one, 1, one.args)
    expect(drained.stdout).toContain(`INTERRUPTED before the end; what was finished is kept; ${same}`)
    const ended = await cut(two, 2, [...two.args, '--fresh'])
    expect(ended.stderr).toContain(`stopped; what was finished is kept; ${same} without --fresh`)
  })
  test('what --fresh began goes on without it', async () => {
    const made = setUp(300)
    const { stdout: said } = await cut(made, 1, [...made.args, '--fresh'])
    expect(said).toContain(`INTERRUPTED before the end; what was finished is kept; ${same} without --fresh`)
    const { stdout } = await whetstone([...made.args, '--json'], { env: made.env })
    const ready = JSON.parse(stdout.split('\n')[0] ?? '')
    expect(ready).toMatchObject({ type: 'plan_ready', runs: 24 })
    expect(ready.done).toBeGreaterThan(0)
    const byCase: { runs: number }[] = ready.done_by_case
    expect(byCase.reduce((sum, { runs }) => sum + runs, 0)).toBe(ready.done)
  })
})
