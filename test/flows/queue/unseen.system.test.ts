/** What leads to the queue is for no run: a job that asks for it is refused, and no agent finds it in its environment. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { QueueJob } from '../../../schemas/queue_job.ts'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import { parseTrustedJob } from '../../../src/flows/queue/worker/trusted_job.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { createSigner } from '../../../src/jobs/queue/sign.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { makeAgent, planHere, redisHere, workHere } from './here.ts'
import { startWorker } from './worker.ts'

const now = new Date('2026-01-15T10:30:00Z')
const skill = () => makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])

/** A job whose agent may see these. */
async function jobFor(engine: string, passEnv: readonly string[]): Promise<QueueJob> {
  const { plan } = await planHere({ skill: skill(), engine, workspace: fresh() })
  const run = plan.runs.find((one) => one.skill === null)
  if (run === undefined) throw new Error('no run without a skill')
  return {
    ...{
      schema_version: 4,
      benchmark: '0123456789abcdef',
      attempt: 1,
      run,
      inputs: null,
      skills: {},
      prompt: null,
    },
    ...{ sandbox: { mode: 'off', network: null }, idle_ms: null, keep_work: false, signature: null },
    ...{ expires_at: '2026-01-15T10:31:00.000Z', pass_env: [...passEnv] },
  }
}

describe('a worker with a key', () => {
  test.each([
    [['WHETSTONE_QUEUE_KEY'], /asks for WHETSTONE_QUEUE_KEY, which runs may not see/],
    [['LANG', 'WHETSTONE_QUEUE_PASSWORD'], /asks for WHETSTONE_QUEUE_PASSWORD/],
    [['whetstone_queue_key'], /asks for whetstone_queue_key/], // the same variable where names have no case
    [['WHETSTONE_QUEUE'], /asks for WHETSTONE_QUEUE,/],
    [['WHETSTONE_OTHER', 'MY_WHETSTONE_QUEUE_KEY'], null],
  ])('and a job that is signed and asks for %s', async (names, refusal) => {
    const signer = createSigner(Buffer.from('k'.repeat(40)))
    const job = await jobFor('command:true', names)
    const data = { ...job, signature: signer.sign({ id: 'a', ...job }) }
    const take = () => parseTrustedJob({ id: 'a', data }, { signer, now, engines: ['command'], refused: () => {} })
    if (refusal === null) expect(take()).toEqual(data)
    else expect(take).toThrow(refusal)
  })
})

needsRedis('through Redis', () => {
  const url = redisHere()

  test('a worker refuses such a job of anybody, and begins the same one without that', async () => {
    const own = makeAgent()
    const shared = fresh()
    await using worker = await workHere(url(), shared, { env: { WHETSTONE_QUEUE_KEY: 'k'.repeat(40) } })
    await using there = await openTransport(parseQueueAddress(url()))
    const needs = resolveQueueNeeds({ name: 'command', model: null }, [], {})
    const queue = queueName(needs)
    await there.post({ id: queue, value: { kind: 'queue', queue, needs, at: now.toISOString() } })
    const endOf = async (id: string, names: readonly string[]) => {
      await there.submit(queue, { id, data: await jobFor(own.engine, names) })
      return await there.wait(queue, id, AbortSignal.timeout(20_000))
    }
    const reason = 'the job asks for WHETSTONE_QUEUE_KEY, which runs may not see'
    expect(await endOf('a', ['WHETSTONE_QUEUE_KEY'])).toEqual({ as: 'failed', reason })
    expect(worker.told).toContainEqual({ type: 'job_refused', job: 'a', queue, reason })
    expect(own.starts()).toBe(0)
    expect(await endOf('b', ['LANG'])).toMatchObject({ as: 'done' })
    expect(own.starts()).toBe(1)
  }, 60_000)

  test('an agent on a worker has none of it in its environment, and of the rest what was asked for', async () => {
    const secret = 'correct-horse-battery-staple'
    await using server = await startRedis({
      acl: ['user default off', `user whetstone on >${secret} ~whetstone:* &* +@all`],
    })
    const [shared, folder] = [fresh(), fresh()]
    const [script, seen] = [path.join(folder, 'env.sh'), path.join(folder, 'seen')]
    writeFileSync(script, `cat > task; { env; echo; } >> ${seen}; echo TIDY\n`)
    const env = {
      ...{ WHETSTONE_QUEUE: server.url, WHETSTONE_QUEUE_USER: 'whetstone', WHETSTONE_QUEUE_PASSWORD: secret },
      ...{ WHETSTONE_QUEUE_KEY: 'k'.repeat(40), OTHER: 'for the agent' },
    }
    await using _worker = await startWorker(server.url, shared, { env })
    const args = ['bench', skill(), '--engine', `command:sh ${script}`, '--runs', '1', '--workspace', fresh()]
    const queue = ['--queue', server.url, '--shared', shared, '--sandbox', 'off']
    const end = await whetstone([...args, ...queue, '--pass-env', 'OTHER'], { env })
    expect(end.code, end.stderr).toBe(0)
    const text = readFileSync(seen, 'utf8')
    expect(text.match(/^OTHER=for the agent$/gm)).toHaveLength(2)
    expect(text).not.toMatch(/WHETSTONE_QUEUE|correct-horse|k{40}/)
  }, 60_000)
})

describe('--pass-env', () => {
  const asked = (command: string, name: string) => {
    const args = [command, skill(), '--engine', agent('tidy.mjs'), '--workspace', fresh(), '--sandbox', 'off']
    return whetstone([...args, '--pass-env', name], { env: { [name]: 'a value' } })
  }
  test.each(['bench', 'eval'])(
    'of what leads to the queue is refused by %s, before anything is done',
    async (command) => {
      const end = await asked(command, 'WHETSTONE_QUEUE_PASSWORD')
      expect(end).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--pass-env WHETSTONE_QUEUE_PASSWORD: runs may not see/),
      })
    },
  )
  test('control: of another variable it is not', async () => {
    expect((await asked('eval', 'WHETSTONE_OTHER')).code).toBe(0)
  })
})
