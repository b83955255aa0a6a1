/** Processes that are killed or cut off: nothing is lost, made twice or left behind. */
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { fresh, whetstone } from '../../e2e/program.ts'
import { attached, openAttaching } from './attaching.ts'
import { askedOf, benchHere, makeAgent, redisHere } from './here.ts'
import { needsRedis, startRedis } from './server/servers.ts'
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

function isPoison(runId: string): boolean {
  return /eval-1.*without_skill/.test(runId)
}

needsRedis('a coordinator that is killed', () => {
  const url = redisHere()

  test('where the first one dies, one of those that are attached goes on, and the other stays attached to that', async () => {
    const { agent, worker, asked, shared } = await openAttaching(url())
    await using _worker = worker
    const flags = ['--engine', agent.engine, '--runs', '1', '--concurrency', '2', '--retries', '0', '--timeout', '60']
    const place = ['--sandbox', 'off', '--no-cache', '--workspace', asked.workspace]
    const queue = ['--queue', url(), '--shared', shared, ...place]
    const followers: Awaited<ReturnType<typeof attached>>[] = []
    const first = await whetstone(['bench', asked.skill, ...flags, ...queue], {
      started: async (child) => {
        await agent.untilBegun(2)
        for (let n = 0; n < 2; n += 1) followers.push(await attached(asked))
        child.kill('SIGKILL')
      },
    })
    expect(first.signal, first.stderr).toBe('SIGKILL')
    agent.open()
    const ends = await Promise.all(followers.map(({ running }) => running))
    expect(ends.map(({ benchmark }) => benchmark)).toEqual(Array(2).fill(ends[0]?.benchmark))
    expect(ends[0]?.benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
    const makers = ends.filter(({ events }) => events.some(({ type }) => type === 'run_started'))
    expect(makers).toHaveLength(1)
    expect(agent.starts()).toBe(4)
    expect(readdirSync(path.join(asked.workspace, 'benchmarks'))).toHaveLength(1)
  })
})

needsRedis('workers', () => {
  test('a job that ends each worker which takes it is a failed record; all other runs are made and graded', async () => {
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
  })

  test('told to stop once, a worker ends what it has in hand, however long that takes, and takes nothing more', async () => {
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
  })
})
