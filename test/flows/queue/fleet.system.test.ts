/** Several workers on one benchmark: an account's limit holds over all of them, a frozen one does no harm, eval has them too. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { startWorker } from './worker.ts'

const cases = [1, 2, 3].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))

function newestIn(workspace: string, collection: string): string {
  const folder = path.join(workspace, collection)
  return path.join(folder, readdirSync(folder).sort().at(-1) ?? '')
}

const scenario = `
latency: 300
limits: [{ from_s: 0, concurrent: 3 }]
rules:
  - { name: with, when: { system: 'SKILL\\.md' }, text: 'TIDY' }
  - { name: without, text: 'messy' }
`

/** Every limit that is set on a queue, with the one on the board at that moment: the server itself tells, so that none is missed however slow this machine is. */
async function watchLimits(url: string, queue: string) {
  const [client, transport] = [new Redis(url), await openTransport(parseQueueAddress(url))]
  const monitor = await client.monitor()
  const set: { limit: number; found: number | null }[] = []
  let found: number | null = null
  monitor.on('monitor', (_time: string, args: string[]) => {
    const [posted] = args.flatMap((one) => /"kind":"limit",.*"limit":(\d+)/.exec(one)?.[1] ?? [])
    if (posted !== undefined) found = Number(posted)
    const [command = '', key = '', ...fields] = args
    const at = fields.indexOf('concurrency')
    if (/^hm?set$/i.test(command) && key.includes(queue) && at >= 0) set.push({ limit: Number(fields[at + 1]), found })
  })
  return {
    /** `last`: what is set now; null: nothing. */
    seen: async () => ({ set, last: (await transport.counts(queue)).limit }),
    async [Symbol.asyncDispose]() {
      monitor.disconnect()
      client.disconnect()
      await transport[Symbol.asyncDispose]()
    },
  }
}

needsRedis('several workers', () => {
  test('keep to the limit of the account together: it is found from what all of them met, and told', async () => {
    await using server = await startRedis()
    await using model = await startPractice({ scenario: parseScenario(scenario, 'limits.yaml') })
    const shared = fresh()
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'x' }
    const flags = ['--concurrency', '8']
    await using _one = await startWorker(server.url, shared, { env, flags })
    await using _two = await startWorker(server.url, shared, { env, flags })
    const name = queueName(resolveQueueNeeds({ name: 'anthropic', model: null }, [], env))
    await using limits = await watchLimits(server.url, name)
    const args = ['bench', makeSkill(cases), '--engine', 'anthropic:practice-1', '--runs', '5', '--sandbox', 'off']
    const queue = ['--queue', server.url, '--shared', shared, '--workspace', fresh(), '--json']
    const events: { type: string; status: string; limit: number; reason: string }[] = []
    const running = whetstone([...args, ...queue], {
      env,
      started: ({ stdout }) => {
        if (stdout !== null) createInterface(stdout).on('line', (line) => events.push(JSON.parse(line)))
      },
    })
    const end = await running
    expect(end.code, end.stderr).toBe(0)
    expect(events.filter(({ type }) => type === 'run_finished').map(({ status }) => status)).toEqual(
      Array.from({ length: 30 }, () => 'completed'),
    )
    const told = events.filter(({ type }) => type === 'limit_changed')
    expect(told).toContainEqual(expect.objectContaining({ reason: expect.stringMatching(/^refused \(429\)/) }))
    expect(Math.min(...told.map(({ limit }) => limit))).toBeLessThan(16) // the places of both workers
    // while there is work the queue keeps to what was found, and that is told; only growth of less than half is not
    const isTold = (found: number) => told.some(({ limit }) => limit <= found && found < limit * 1.5)
    const { set, last } = await limits.seen()
    expect(set.length).toBeGreaterThan(0)
    expect(set.filter(({ limit, found }) => limit !== found || !isTold(limit))).toEqual([])
    expect(last).toBeNull()
  }, 120_000)

  test('a worker that is frozen and comes back: its agent is ended, its attempt is kept and told, the run is there once', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const log = path.join(fresh(), 'agents.log')
    await using frozen = await startWorker(server.url, shared, { env: { AGENT_MS: '60000', AGENT_LOG: log } })
    const one = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]
    const args = ['bench', makeSkill(one), '--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off']
    const passed = ['--pass-env', 'AGENT_MS', '--pass-env', 'AGENT_LOG', '--workspace', workspace]
    const running = whetstone([...args, ...passed, '--queue', server.url, '--shared', shared])
    const begun = () => {
      try {
        return readFileSync(log, 'utf8')
          .split('\n')
          .flatMap((line) => /^start (\d+)/.exec(line)?.[1] ?? [])
      } catch {
        return []
      }
    }
    while (begun().length < 2) await sleep(50)
    const agents = begun().map(Number)
    frozen.child.kill('SIGSTOP')
    await using _other = await startWorker(server.url, shared)
    const end = await running
    frozen.child.kill('SIGCONT')
    expect(end.code, end.stderr).toBe(0)
    const lives = (pid: number) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    for (let tries = 0; agents.some(lives) && tries < 200; tries += 1) await sleep(50)
    expect(agents.filter(lives)).toEqual([])
    const folder = newestIn(workspace, 'benchmarks')
    const benchmark = JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8'))
    expect(benchmark.runs).toHaveLength(2)
    expect(benchmark.other_attempts).toMatchObject({ attempts: 2, lost: 2, usd: null })
    expect(benchmark.notes.join('\n')).toContain('2 further attempts did not count')
  }, 120_000)

  test('a worker that is stopped for less than its lock keeps its run, which is not timed out', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const log = path.join(fresh(), 'agents.log')
    writeFileSync(log, '')
    const env = { AGENT_MS: '1000', AGENT_LOG: log }
    await using worker = await startWorker(server.url, shared, { lock: '60', env })
    const one = [{ id: 1, prompt: 'task', checks: [{ type: 'file_exists', path: 'answer.txt' }] }]
    const args = ['bench', makeSkill(one), '--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off']
    const passed = ['--pass-env', 'AGENT_MS', '--pass-env', 'AGENT_LOG', '--workspace', workspace, '--timeout', '4']
    const running = whetstone([...args, ...passed, '--queue', server.url, '--shared', shared])
    while (!readFileSync(log, 'utf8').includes('start')) await sleep(10)
    worker.child.kill('SIGSTOP')
    await sleep(6000)
    worker.child.kill('SIGCONT')
    const end = await running
    expect(end.code, end.stderr).toBe(0)
    const folder = newestIn(workspace, 'benchmarks')
    const files = readdirSync(folder, { recursive: true }).map(String)
    const records = files.filter((name) => path.basename(name) === 'run.json')
    const read = records.map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')))
    expect(read.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['completed', 1],
      ['completed', 1],
    ])
    expect(Math.max(...read.map(({ suspended_ms = 0 }) => suspended_ms))).toBeGreaterThan(5000)
  }, 120_000)

  test('make the runs of eval too', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    await using worker = await startWorker(server.url, shared)
    const args = ['eval', makeSkill(cases), '--engine', agent('tidy.mjs'), '--sandbox', 'off', '--workspace', workspace]
    const end = await whetstone([...args, '--queue', server.url, '--shared', shared])
    expect(end.code, end.stderr).toBe(0)
    expect(worker.ended()).toBe(3)
    expect(readdirSync(newestIn(workspace, 'evals'))).toContain('eval.json')
  }, 90_000)
})
