/** How workers end: one that is killed by each try at a job takes no other run with it, one that is told to stop ends what it has in hand. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { fresh } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { askedOf, benchHere, makeAgent } from './here.ts'
import { startWorker } from './worker.ts'

/** An agent that takes so many seconds for a prompt with `long` where it has no skill; gives its engine and a log of its starts. */
function longAgent(seconds: number): { engine: string } {
  const file = path.join(fresh(), 'long.sh')
  writeFileSync(
    file,
    `task=$(cat)
[ -e .claude/skills/tidy/SKILL.md ] && { echo TIDY; exit; }
case "$task" in *long*) sleep ${seconds};; esac
echo messy
`,
  )
  return { engine: `command:sh ${file}` }
}

const ends = (events: readonly FlowEvent[]) =>
  events
    .flatMap((event) => (event.type === 'run_finished' ? [event] : []))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1))

needsRedis('through Redis', () => {
  test.concurrent('a job that ends each worker which takes it is a failed record; all other runs are made and graded', async ({
    expect,
  }) => {
    await using server = await startRedis()
    const shared = fresh()
    const over = new AbortController()
    let killed = 0
    /** One after another, each killed as it begins that run. */
    const mortals = async () => {
      while (!over.signal.aborted) {
        await using worker = await startWorker(server.url, shared, { flags: ['--concurrency', '1'], lock: '1' })
        const isMet = () => worker.events.some(({ type, run_id }) => type === 'job_started' && isPoison(`${run_id}`))
        while (!over.signal.aborted && !isMet()) await sleep(10)
        if (!isMet()) continue
        killed += 1
        await sleep(200) // its attempt has begun
      }
    }
    const asked = askedOf(longAgent(20), ['long', 'two', 'three'], { url: server.url, shared })
    const workers = [mortals(), mortals()]
    const { benchmark, events } = await benchHere(asked).finally(() => over.abort())
    await Promise.all(workers)
    const [poisoned, ...others] = ends(events).sort((a) => (isPoison(a.run_id) ? -1 : 1))
    expect(poisoned).toMatchObject({
      ...{ status: 'failed', kind: 'crash' },
      message: expect.stringMatching(/no worker finished it: each worker that took it was lost, more often/),
    })
    expect(others.map(({ status }) => status)).toEqual(Array(5).fill('completed'))
    expect(benchmark).toMatchObject({
      complete: false,
      counts: { planned: 6, used: 5, excluded: { 'failed:crash': 1 } },
    })
    expect(new Set(events.flatMap((one) => (one.type === 'grade_finished' ? one.run_id : []))).size).toBe(5)
    expect([5, 6]).toContain(killed) // six, unless a busy machine lost a lock by itself
    expect(benchmark.other_attempts?.lost).toBeGreaterThanOrEqual(killed)
  }, 90_000)

  test.concurrent('told to stop once, a worker ends what it has in hand, however long that takes, and takes nothing more', async ({
    expect,
  }) => {
    await using server = await startRedis()
    const shared = fresh()
    const agent = makeAgent()
    const flags = ['--concurrency', '1']
    await using first = await startWorker(server.url, shared, { flags, lock: '30' })
    const events: FlowEvent[] = []
    const running = benchHere(askedOf(agent, ['wait'], { url: server.url, shared }), { events })
    await agent.untilBegun(1)
    first.child.kill('SIGTERM')
    await sleep(10_000) // more than a command gives its agents to end, or a coordinator a job that it asks for the end of
    expect([first.child.exitCode, ends(events)]).toEqual([null, []])
    agent.open()
    await expect.poll(() => first.child.exitCode).toBe(0)
    expect([first.started(), first.ended()]).toEqual([1, 1])
    expect(first.said()).toContain('stopped: 1 runs done, 0 left')
    await expect.poll(() => ends(events).map(({ status }) => status)).toEqual(['completed'])
    await using second = await startWorker(server.url, shared, { flags })
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect([agent.starts(), second.started()]).toEqual([2, 1])
  }, 90_000)

  test.concurrent.for<[string, number, number[]]>([
    ['once', 1, [0]],
    ['and once more', 2, [0, 130]],
  ])(
    'told to stop while the queue server is away, a worker with nothing in hand ends (%s)',
    async ([_how, times, codes], { expect }) => {
      await using server = await startRedis()
      const shared = fresh()
      await using worker = await startWorker(server.url, shared)
      const { benchmark } = await benchHere(askedOf(makeAgent(), ['one'], { url: server.url, shared })) // it holds a queue
      expect(benchmark.complete).toBe(true)
      await server.kill()
      await sleep(2000)
      const told = performance.now()
      for (let time = 0; time < times; time += 1) {
        worker.child.kill('SIGTERM')
        await sleep(500)
      }
      await expect.poll(() => worker.child.exitCode, { timeout: 20_000 }).not.toBeNull()
      expect(codes).toContain(worker.child.exitCode)
      expect(performance.now() - told).toBeLessThan(14_000)
      expect(worker.said()).toContain('stopped: 2 runs done, 0 left')
    },
  )
})

function isPoison(runId: string): boolean {
  return /eval-1.*without_skill/.test(runId)
}
