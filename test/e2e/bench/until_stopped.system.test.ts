/** bench --until decided, stopped in the middle of a block by a deadline or Ctrl-C: no look at a part; it goes on to the same looks. */
import type { ChildProcess } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { benchUntil, inWorld, type Made, startUntil, stateOf, worlds } from './until.ts'

const most = ['--max-runs', '3', '--no-cache']
const run = (name: string) => name.replace('/run.json', '')

/** Seven cases, not decided: blocks of 14 runs and a look after each. Beyond `after` requests no answer comes. */
const hanging = (after: number) => `faults: [{ hang: true, after: ${after} }]\n${worlds.mixed}`

/** The rest of the benchmark, against a server that answers everything. */
async function onFreshServer<R>(made: Made, work: (made: Made) => Promise<R>): Promise<R> {
  await using server = await startPractice({ scenario: parseScenario(worlds.mixed, 'test.yaml') })
  return await work({ ...made, url: server.url })
}

const untouched = await inWorld(worlds.mixed, 7, (made) => benchUntil(made, ...most))

async function goesOnToTheSameLooks(made: Made, before: string[]): Promise<void> {
  const after = await onFreshServer(made, (again) => benchUntil(again, ...most))
  expect(after, after.stderr).toMatchObject({ code: 0, benchmarks: 1, until: { blocks: 3, stopped: 'max_runs' } })
  expect(after.until).toEqual(untouched.until)
  expect(after.made.map(run).sort()).toEqual(untouched.made.map(run).sort())
  expect(after.made).toHaveLength(42)
  expect(after.made.map(run)).toEqual(expect.arrayContaining(before))
}

test('never stopped: three looks', () => {
  expect(untouched).toMatchObject({ code: 0, until: { blocks: 3, stopped: 'max_runs' } })
  expect(untouched.until?.looks.map(({ blocks, pairs }) => [blocks, pairs])).toEqual([
    [1, 7],
    [2, 14],
    [3, 21],
  ])
})

describe('a deadline', () => {
  test('in the second block: the look after the first stands, none at the part, exit 3; then on in the same benchmark', async () => {
    await inWorld(hanging(18), 7, async (made) => {
      const end = await benchUntil(made, ...most, '--deadline', '12s')
      expect(end, end.stderr).toMatchObject({ code: 3, until: { blocks: 1, next: 2, stopped: null } })
      expect(end.until?.looks.map(({ blocks, pairs }) => [blocks, pairs])).toEqual([[1, 7]])
      expect(end.stdout).toMatch(/stopped by the deadline/)
      expect(end.stdout).toMatch(/Inconclusive after 1 of at most 3 blocks/)
      // what ended in the second block is kept, and in no look
      expect(end.result.counts).toMatchObject({ planned: 28, used: 18, excluded: { cancelled: 4 } })
      expect(end.result.statistics?.scopes?.these_cases.difference.n_runs).toBe(14)
      await goesOnToTheSameLooks(made, end.made.map(run))
    })
  })
  test('in the first block: no look at all', async () => {
    await inWorld(hanging(5), 7, async (made) => {
      const end = await benchUntil(made, ...most, '--deadline', '10s')
      expect(end, end.stderr).toMatchObject({ code: 3, until: { blocks: 0, next: 1, stopped: null, looks: [] } })
      expect(end.result.statistics?.scopes?.these_cases).toMatchObject({ verdict: 'inconclusive' })
    })
  })
})

/** Signals once the first look was made. */
const afterTheLook = (signal: (child: ChildProcess) => void) => (child: ChildProcess) => {
  let [said, isDone] = ['', false]
  child.stderr?.on('data', (text: string) => {
    said += text
    if (isDone || !said.includes('interim analysis after 1 block')) return
    isDone = true
    signal(child)
  })
}

describe('Ctrl-C', () => {
  test('once, in the second block: the runs under way end, no look is made at the part; then on in the same benchmark', async () => {
    await inWorld(`latency: 400\n${worlds.mixed}`, 7, async (made) => {
      const end = await startUntil(
        made,
        most,
        afterTheLook((child) => child.kill('SIGINT')),
      )
      expect(end.code, end.stderr).toBe(130)
      const { until, made: before } = stateOf(made.workspace)
      expect(until).toMatchObject({ blocks: 1, next: 2, stopped: null })
      expect(until?.looks).toHaveLength(1)
      expect(before.length).toBeLessThan(28)
      await goesOnToTheSameLooks(made, before.map(run))
    })
  })
  test('twice, among runs that get no answer: it ends at once, and goes on all the same', async () => {
    await inWorld(hanging(18), 7, async (made) => {
      const signalled = afterTheLook((child) => {
        child.kill('SIGINT')
        setTimeout(() => child.kill('SIGINT'), 1000)
      })
      expect((await startUntil(made, most, signalled)).code).toBe(130)
      await goesOnToTheSameLooks(made, [])
    })
  })
})
