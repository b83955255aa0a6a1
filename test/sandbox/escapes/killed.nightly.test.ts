/** SIGKILL of the harness, at any moment: under the sandbox nothing of a run lives on; without it the next start ends what does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { foundSandbox, needsSandbox } from '../needs_sandbox.ts'

const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]

/** A temporary folder of its own, so that its rooms are those of this test. */
function setUp(mode: string) {
  const top = fresh()
  const env = { TMPDIR: path.join(top, 'tmp') }
  mkdirSync(env.TMPDIR)
  const shared = ['--workspace', path.join(top, 'ws'), '--runs', '1', '--sandbox', mode]
  const args = ['bench', makeSkill(cases), '--engine', agent('forker.mjs'), ...shared]
  return { env, args, rooms: env.TMPDIR }
}

/** The marks of the rooms there. */
function marksIn(rooms: string): string[] {
  return readdirSync(rooms).flatMap((name) => /^user-[\d.]+-([0-9a-f]{24})$/.exec(name)?.[1] ?? [])
}

async function living(marks: readonly string[]): Promise<string[]> {
  const pids = (await Promise.all(marks.map((mark) => findMarkedProcesses(mark)))).flat()
  return pids.flatMap((pid) => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()].filter((line) => line !== '')
    } catch {
      return []
    }
  })
}

const daemons = (lines: readonly string[]) => lines.filter((line) => line === 'sleep 301')

/** Starts a benchmark, kills it once both its agents have their daemons, and gives their marks. */
async function killed({ args, env, rooms }: ReturnType<typeof setUp>): Promise<string[]> {
  let marks: string[] = []
  await whetstone(args, {
    env,
    started: async (child) => {
      while (daemons(await living(marksIn(rooms))).length < 2) await sleep(20)
      marks = marksIn(rooms)
      child.kill('SIGKILL')
    },
  })
  return marks
}

async function leftAfter(marks: readonly string[], ms: number): Promise<string[]> {
  const end = performance.now() + ms
  for (;;) {
    const left = await living(marks)
    if (left.length === 0 || performance.now() > end) return left
    await sleep(20)
  }
}

describe('after SIGKILL of the harness', () => {
  needsSandbox('in the sandbox', () => {
    test('no process of a run lives a second later', async () => {
      expect(await leftAfter(await killed(setUp('required')), 1000)).toEqual([])
    })
  })

  test.runIf(process.platform === 'linux')(
    'without it the daemons live on, and the next start ends them with all else',
    { timeout: 120_000 },
    async () => {
      const made = setUp('off')
      const marks = await killed(made)
      expect(daemons(await leftAfter(marks, 1000))).toHaveLength(2)
      const next = ['bench', makeSkill(cases), '--engine', agent('tidy.mjs'), '--workspace', path.join(fresh(), 'ws')]
      const end = await whetstone([...next, '--runs', '1'], { env: made.env })
      expect(end.code, end.stderr).toBe(0)
      expect(await living(marks)).toEqual([])
    },
  )
})

const driver = path.join(import.meta.dirname, '../../fixtures/programs/start_sandboxes.mjs')

/** Processes whose command line names this folder, as that of bubblewrap, its first process and the agent each do. */
function processesNaming(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1')
      return command.includes(folder) ? [{ pid: Number(name), command }] : []
    } catch {
      return []
    }
  })
}

/** Starts sandboxes one after another and kills their starter at the `moment`; gives the folder that they work in. */
async function killDuringStart(moment: () => Promise<unknown>, program: string): Promise<string> {
  const cwd = fresh()
  const child = spawn(process.execPath, [driver, cwd, program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit') // it may end by itself before the kill
  await Promise.race([once(child.stdout, 'data'), ended])
  await moment()
  child.kill('SIGKILL')
  await ended
  return cwd
}

/** Kills them; one may already have ended with another. */
function killProcessesNaming(folder: string): number[] {
  const pids = processesNaming(folder).map(({ pid }) => pid)
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  return pids
}

async function killedDuringStart(moment: () => Promise<unknown>, program: string, settleMs = 1000): Promise<number[]> {
  const cwd = await killDuringStart(moment, program)
  await sleep(settleMs)
  return killProcessesNaming(cwd)
}

/** A bubblewrap that takes a second to start a sandbox, and says so in a file; `edit`: Perl that changes its arguments. */
function slowBubblewrap(program: string, edit = ''): { file: string; started: string } {
  const folder = fresh()
  const file = path.join(folder, 'bwrap')
  const started = path.join(folder, 'started')
  const wait = `if (grep { $_ eq '--seccomp' } @ARGV) { open(my $f, '>', '${started}'); close $f; select undef, undef, undef, 1 }`
  writeFileSync(file, `#!/usr/bin/perl\n${wait}\n${edit}\nexec "${program}", @ARGV;\n`, { mode: 0o755 })
  return { file, started }
}

needsSandbox('a kill while a sandbox starts', () => {
  const program = foundSandbox.ok ? foundSandbox.program : ''
  const kills = Number(process.env.WHETSTONE_KILLS ?? 12)

  test('at random moments of the first 300 ms: nothing lives a second later', async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const ms = Math.random() * 300
      expect(await killedDuringStart(() => sleep(ms), program), `killed after ${ms} ms`).toEqual([])
    }
  })

  test('before bubblewrap binds its life to its parent: nothing lives', async () => {
    const { file, started } = slowBubblewrap(program)
    expect(await killedDuringStart(() => expect.poll(() => existsSync(started)).toBe(true), file, 3000)).toEqual([])
  })

  test('control: without the answer from Whetstone the agent starts after its death', async () => {
    const { file, started } = slowBubblewrap(program, 's/echo ready.*?exit 1;// for @ARGV;')
    // a benchmark of another test that starts within this second ends the sandbox of the killed one: then again
    const agentStarts = async () => {
      rmSync(started, { force: true })
      const cwd = await killDuringStart(() => expect.poll(() => existsSync(started)).toBe(true), file)
      await sleep(3000)
      killProcessesNaming(cwd)
      return existsSync(path.join(cwd, 'agent-started'))
    }
    await expect.poll(agentStarts, { timeout: 100_000 }).toBe(true)
  })
})
