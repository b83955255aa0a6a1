/** What people and workers do to a queue: stop it, start it again, cancel, choose who works, of which version, for how much. */
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import { manageQueues } from '../../../src/flows/queue/queue_status.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { readSpent } from '../../../src/store/artefacts/spending_log.ts'
import { fresh, whetstone } from '../../e2e/program.ts'
import { needsRedis } from '../../jobs/queue/servers.ts'
import { askedOf, benchHere, lives, makeAgent, redisHere, workHere } from './here.ts'

needsRedis('a queue', () => {
  const url = redisHere()
  /** What `queue <action>` says. */
  const said = async (action: string, ...flags: string[]) => {
    const end = await whetstone(['queue', action, '--queue', url(), ...flags])
    expect(end.code, end.stderr).toBe(0)
    return end.stdout
  }
  const queueOf = (engine: string, tags: readonly string[] = []) =>
    queueName(resolveQueueNeeds({ name: engine, model: null }, tags, {}))

  test('that is drained gives nothing out until it is resumed; cancelled, what waits and what is in hand ends', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using _worker = await workHere(url(), shared)
    await using look = await openTransport(parseQueueAddress(url()))
    const queue = queueOf('command')
    await benchHere(askedOf(agent, ['one'], { url: url(), shared }))
    expect(await said('drain')).toMatch(/^drained: .*queue resume/)
    const waiting = askedOf(agent, ['wait 1', 'wait 2'], { url: url(), shared })
    const running = benchHere(waiting)
    await expect.poll(async () => (await look.counts(queue)).waiting, { timeout: 10_000 }).toBe(4)
    expect(agent.starts()).toBe(2)
    expect(JSON.parse(await said('resume', '--json'))).toMatchObject({ did: 'resumed', queues: [{ queue }] })
    await agent.untilBegun(4)
    expect(await manageQueues('status', look, new Date())).toMatchObject({
      place: url(),
      queues: [{ queue, needs: { engine: 'command', tags: [] }, counts: { waiting: 2, active: 2, isDrained: false } }],
      workers: [{ engines: ['command'], places: 2, version: 'test', done: 2 }],
      did: null,
    })
    expect(await said('cancel')).toMatch(/^cancelled: 4\n/)
    const { benchmark, events } = await running
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 4, used: 0 } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? event.status : []))
    expect(ends).toEqual(Array(4).fill('cancelled'))
    expect(agent.starts()).toBe(4)
    await expect.poll(() => agent.pids().filter(lives)).toEqual([])
    agent.open()
    expect((await benchHere(waiting)).benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
    expect(await look.counts(queue)).toMatchObject({ waiting: 0, active: 0, done: 0, failed: 0 })
    expect((await look.notes()).map(({ id }) => id).filter((id) => id.startsWith('end-'))).toEqual([])
  }, 60_000)

  test('that is made while all are drained is drained too, until they are resumed', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using worker = await workHere(url(), shared, { tags: ['late'] })
    await using look = await openTransport(parseQueueAddress(url()))
    expect(await said('drain')).toMatch(/^drained: /)
    const running = benchHere(askedOf(agent, ['one', 'two'], { url: url(), shared, tags: ['late'] }))
    const queue = queueOf('command', ['late'])
    await expect.poll(() => worker.told.map(({ type }) => type), { timeout: 10_000 }).toContain('queue_held')
    await expect.poll(async () => (await look.counts(queue)).waiting, { timeout: 10_000 }).toBe(4)
    expect(await manageQueues('status', look, new Date())).toMatchObject({
      isDrained: true,
      queues: expect.arrayContaining([
        expect.objectContaining({ queue, counts: expect.objectContaining({ active: 0 }) }),
      ]),
    })
    expect(agent.starts()).toBe(0)
    const { isDrained, queues } = await manageQueues('resume', look, new Date())
    expect([isDrained, ...queues.map(({ counts }) => counts.isDrained)]).toEqual([false, ...queues.map(() => false)])
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
  }, 60_000)

  test('whose worker has another shared folder: a run that was made, and does not lie there, is a failed one that says so and is paid for', async () => {
    const agent = makeAgent()
    const [ours, theirs] = [fresh(), fresh()]
    await using _worker = await workHere(url(), theirs)
    const limits = { budget: 100, budgetTokens: null, deadline: null, costPerRun: 3 }
    const asked = { ...askedOf(agent, ['one'], { url: url(), shared: ours }), limits }
    const { benchmark, events, folder } = await benchHere(asked)
    expect(agent.starts()).toBe(1) // of the arm that needs no bundle
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event] : []))
    expect(ends.find(({ configuration }) => configuration === 'without_skill')).toMatchObject({
      ...{ status: 'failed', kind: 'crash' },
      message: expect.stringMatching(/^worker .*: .*no run found there.*--shared/),
    })
    expect(ends.map(({ status }) => status)).toEqual(['failed', 'failed'])
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 2, used: 0 } })
    const paid = (await readSpent(folder)).filter(({ usd }) => usd !== 0)
    expect(paid).toMatchObject([{ run_id: expect.stringContaining('without_skill') }])
  }, 60_000)

  test('whose coordinator is gone: what has failed meanwhile is shown, and put back by retry', async () => {
    const queue = queueOf('command')
    await using look = await openTransport(parseQueueAddress(url()))
    await using worker = await workHere(url(), fresh())
    await look.submit(queue, { id: 'unfit', data: {} })
    await expect.poll(async () => (await look.counts(queue)).failed, { timeout: 10_000 }).toBe(1)
    expect(await said('status')).toMatch(new RegExp(`${queue} +command +0 +0 +0 +1`))
    expect(await said('retry')).toMatch(/^put back: 1\n/)
    const refused = () => worker.told.filter(({ type }) => type === 'job_refused').length
    await expect.poll(refused, { timeout: 10_000 }).toBe(2)
    await expect.poll(async () => (await look.counts(queue)).failed).toBe(1)
    await look.remove(queue, ['unfit'])
  }, 60_000)

  test('with tags is worked at by those who have all of them, and by nobody else', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using plain = await workHere(url(), shared)
    await using some = await workHere(url(), shared, { tags: ['gpu'] })
    await using all = await workHere(url(), shared, { tags: ['eu', 'gpu'] })
    const asked = askedOf(agent, ['one', 'two'], { url: url(), shared, tags: ['gpu', 'eu'] })
    const { benchmark } = await benchHere(asked)
    expect(benchmark).toMatchObject({ complete: true })
    const did = ({ told }: typeof all) => told.filter(({ type }) => type === 'job_ended').length
    expect([did(plain), did(some), did(all)]).toEqual([0, 0, 4])
    expect(all.told).toContainEqual({
      ...{ type: 'queue_held', engine: 'command', tags: ['eu', 'gpu'] },
      queue: queueOf('command', ['eu', 'gpu']),
    })
  }, 60_000)

  test('whose workers have engines of several versions: the benchmark says so, and of one version it says nothing', async () => {
    const shared = fresh()
    await using model = await startPractice({ scenario: parseScenario("rules: [{ name: says, text: 'x' }]", 'x.yaml') })
    const keys = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'practice' }
    const env = (version: string) => ({ PATH: `${claudeOf(version)}:${process.env.PATH}`, ...keys })
    const here = { env: env('2.1.401') }
    const engines = ['claude-code']
    await using one = await workHere(url(), shared, { ...here, engines, concurrency: 1 })
    const asked = () => askedOf({ engine: 'claude-code' }, ['one', 'two'], { url: url(), shared })
    const same = await benchHere(asked(), here)
    expect(same.benchmark.counts).toMatchObject({ used: 4 })
    expect(same.benchmark).not.toHaveProperty('engine_versions')
    await using two = await workHere(url(), shared, { env: env('2.1.402'), engines, concurrency: 1 })
    await expect.poll(() => two.told.map(({ type }) => type), { timeout: 10_000 }).toContain('queue_held')
    const { benchmark } = await benchHere({ ...asked(), runs: 4 }, here)
    const { '2.1.401': first = 0, '2.1.402': second = 0 } = benchmark.engine_versions ?? {}
    expect([first + second, first > 0, second > 0]).toEqual([16, true, true])
    expect(benchmark.notes?.join('\n')).toContain(`Several engine versions ran: 2.1.401 (${first} run`)
    expect(one.told.filter(({ type }) => type === 'job_ended')).toHaveLength(4 + first)
  }, 60_000)

  test('of several workers keeps to the budget of the benchmark', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using _one = await workHere(url(), shared)
    await using _two = await workHere(url(), shared)
    const limits = { budget: 5, budgetTokens: null, deadline: null, costPerRun: 1 }
    const asked = { ...askedOf(agent, ['one', 'two', 'three'], { url: url(), shared }), runs: 2, limits }
    const { benchmark } = await benchHere(asked)
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 12, used: 4 } }) // both arms or none
    expect(benchmark.metadata.stopped).toMatchObject({ kind: 'budget' })
    expect(agent.starts()).toBe(4)
    const more = { ...asked, limits: { ...limits, budget: 100 } }
    expect((await benchHere(more)).benchmark).toMatchObject({ complete: true })
    expect(agent.starts()).toBe(12)
  }, 60_000)
})

/** A folder with a Claude Code of that version, which says TIDY where the skill is there. */
function claudeOf(version: string): string {
  const folder = fresh()
  const file = path.join(folder, 'claude')
  const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'fake-1', tools: [], mcp_servers: [] }
  const end = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    session_id: 's',
    total_cost_usd: 0.01,
  }
  const lines = (skills: string[], said: string) =>
    [
      { ...init, skills, claude_code_version: version },
      { type: 'assistant', message: { id: 'm', model: 'fake-1', content: [{ type: 'text', text: said }] } },
      { ...end, result: said, stop_reason: 'end_turn', permission_denials: [], usage },
    ].map((one) => `echo '${JSON.stringify(one)}'`)
  const script = [
    '#!/bin/sh',
    `[ "$1" = --version ] && { echo "${version} (Claude Code)"; exit; }`,
    'cat > /dev/null',
    'if [ -e .claude/skills/tidy/SKILL.md ]; then',
    ...lines(['tidy'], 'TIDY'),
    'else',
    ...lines([], 'messy'),
    'fi',
  ]
  writeFileSync(file, `${script.join('\n')}\n`)
  chmodSync(file, 0o755)
  return folder
}
