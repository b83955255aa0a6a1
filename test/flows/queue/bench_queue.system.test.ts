/** bench --queue: the same artefacts as on one machine, through two workers; nothing is lost with a worker or the coordinator. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { upToTiming } from '../../kill/agree.mjs'
import { startWorker } from './worker.ts'

const cases = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at + 1}`,
    files: [`evals/files/in-${at % 2}.txt`],
    checks: [{ type: 'contains', value: 'TIDY' }],
  }))
const inputs = { 'evals/files/in-0.txt': 'zero', 'evals/files/in-1.txt': 'one' }

function newestOf(workspace: string): string {
  const folder = path.join(workspace, 'benchmarks')
  return path.join(folder, readdirSync(folder).sort().at(-1) ?? '')
}

needsRedis('a benchmark through Redis', () => {
  test('with two workers has the artefacts of a local one, and leaves nothing in queue and shared folder', async () => {
    await using server = await startRedis()
    const shared = fresh()
    await using one = await startWorker(server.url, shared)
    await using two = await startWorker(server.url, shared)
    const skill = makeSkill(cases(4), inputs)
    const flags = ['bench', skill, '--engine', agent('tidy.mjs'), '--sandbox', 'off', '--no-cache']
    const [local, far] = [fresh(), fresh()]
    expect((await whetstone([...flags, '--workspace', local])).code).toBe(0)
    const end = await whetstone([...flags, '--workspace', far, '--queue', server.url, '--shared', shared])
    expect(end.code, end.stderr).toBe(0)
    expect(upToTiming(newestOf(far))).toBe(upToTiming(newestOf(local)))
    const files = (folder: string) =>
      readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => !name.startsWith('.'))
        .sort()
    expect(files(newestOf(far))).toEqual(files(newestOf(local)))
    expect(one.ended() + two.ended()).toBe(24)
    expect(Math.min(one.ended(), two.ended())).toBeGreaterThan(0)
    expect(readdirSync(path.join(shared, 'runs')).flatMap((id) => readdirSync(path.join(shared, 'runs', id)))).toEqual(
      [],
    )
  }, 90_000)

  test('a worker that is killed loses no run; its attempt is kept beside the benchmark', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const skill = makeSkill(cases(2), inputs)
    await using dies = await startWorker(server.url, shared, { env: { AGENT_MS: '30000' } })
    const flags = [
      'bench',
      skill,
      '--engine',
      agent('tidy.mjs'),
      '--sandbox',
      'off',
      '--pass-env',
      'AGENT_MS',
      '--runs',
      '1',
    ]
    const running = whetstone([...flags, '--workspace', workspace, '--queue', server.url, '--shared', shared])
    while (dies.started() < 2) await sleep(50)
    await dies.kill()
    await using _lives = await startWorker(server.url, shared)
    const end = await running
    expect(end.code, end.stderr).toBe(0)
    const folder = newestOf(workspace)
    const benchmark = JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8'))
    expect(benchmark.complete).toBe(true)
    const kept = readdirSync(path.join(folder, '.attempts'), { recursive: true }).map(String)
    expect(
      kept.filter((name) => name.endsWith('.json') && /attempt-1\.json$/.test(name)).length,
    ).toBeGreaterThanOrEqual(2)
  }, 90_000)

  test('the coordinator is killed and comes back: what workers made meanwhile is taken, not made again', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const log = path.join(fresh(), 'agents.log')
    await using worker = await startWorker(server.url, shared, { env: { AGENT_MS: '300', AGENT_LOG: log } })
    const skill = makeSkill(cases(3), inputs)
    const flags = [
      'bench',
      skill,
      '--engine',
      agent('tidy.mjs'),
      '--sandbox',
      'off',
      '--pass-env',
      'AGENT_MS',
      '--pass-env',
      'AGENT_LOG',
    ]
    const args = [...flags, '--workspace', workspace, '--queue', server.url, '--shared', shared]
    const first = await whetstone(args, {
      started: (child) => {
        void (async () => {
          while (worker.started() < 3) await sleep(30)
          child.kill('SIGKILL')
        })()
      },
    })
    expect(first.signal).toBe('SIGKILL')
    // as of a run that was committed when its coordinator died: nothing lies in the shared folder, but its job has ended and is there still
    await using transport = await openTransport(parseQueueAddress(server.url))
    const queue =
      (await transport.notes()).find(({ value }) => JSON.stringify(value).includes('"kind":"queue"'))?.id ?? ''
    const id = readFileSync(path.join(newestOf(workspace), '.queue'), 'utf8')
    await transport.submit(queue, { id: 'ours', data: { benchmark: id } })
    await transport.submit(queue, { id: 'another', data: { benchmark: 'another' } })
    const never = new AbortController().signal
    for (const one of ['ours', 'another']) await transport.wait(queue, one, never)
    const second = await whetstone(args)
    expect(second.code, second.stderr).toBe(0)
    expect(readdirSync(path.join(workspace, 'benchmarks'))).toHaveLength(1)
    const starts = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('start'))
    expect(starts).toHaveLength(18)
    expect(existsSync(path.join(newestOf(workspace), '.attempts'))).toBe(false)
    expect(await transport.ended(queue)).toEqual([{ id: 'another', data: { benchmark: 'another' } }])
  }, 90_000)
})
