/** SIGKILL of the harness: under the sandbox nothing of a run lives on; without it the next start ends what does. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { markedProcesses } from '../../src/base/processes.ts'
import { probeSandbox } from '../../src/base/sandbox/choose.ts'
import { agent, fresh, makeSkill, whetstone } from '../e2e/program.ts'
import { needs } from '../require.ts'

const works = (await probeSandbox(process.env.PATH ?? '')).ok
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
  return readdirSync(rooms).flatMap((name) => /^whetstone-[\d.]+-([0-9a-f]{24})$/.exec(name)?.[1] ?? [])
}

async function living(marks: readonly string[]): Promise<string[]> {
  const pids = (await Promise.all(marks.map((mark) => markedProcesses(mark)))).flat()
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
  needs(
    'bubblewrap that works',
    works,
    'apt-get install bubblewrap',
  )('in the sandbox', () => {
    test('no process of a run lives a second later', { timeout: 60_000 }, async () => {
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
