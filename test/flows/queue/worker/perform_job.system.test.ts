/** A worker that comes too late: the job was put away while it worked, as after a freeze, and nothing of it is left lying. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { QueueJob } from '../../../../schemas/queue_job.ts'
import { chooseSandbox } from '../../../../src/base/sandbox/choose.ts'
import { openAccountLimiters } from '../../../../src/flows/limits/rate_limiters.ts'
import { performJob } from '../../../../src/flows/queue/worker/perform_job.ts'
import { openBundles } from '../../../../src/store/bundles/bundles.ts'
import { openSharedObjects } from '../../../../src/store/bundles/objects.ts'
import { AttemptError, sharedPaths } from '../../../../src/store/shared/shared_runs.ts'
import { fresh } from '../../../e2e/program.ts'
import { askedOf, makeAgent, planHere } from '../here.ts'

const never = new AbortController().signal

/** A run of an agent that waits, begun by a worker. */
async function begin(leave: AbortSignal) {
  const agent = makeAgent()
  const shared = fresh()
  const { plan } = await planHere(askedOf(agent, ['wait'], { url: 'redis://nowhere', shared }))
  const run = plan.runs.find(({ skill }) => skill === null)
  if (run === undefined) throw new Error('no run without a skill')
  const sandbox = { mode: 'off', network: null } as const
  const job: QueueJob = {
    ...{
      schema_version: 4,
      benchmark: 'b',
      attempt: 1,
      run,
      inputs: null,
      prompt: null,
      skills: {},
      pass_env: [],
      sandbox,
    },
    ...{ idle_ms: null, keep_work: false, expires_at: new Date().toISOString(), signature: null },
  }
  const paths = sharedPaths(shared)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  const context = { emit: () => {}, env, drain: never, signal: never, now: () => new Date() }
  const shop = {
    ...{ worker: 'w', paths, env, hidden: [], pace: openAccountLimiters(undefined, context) },
    bundles: await openBundles({ objects: openSharedObjects(paths.bundles), cache: null }),
    own: { ...sandbox, readable: [] },
    sandbox: () => chooseSandbox({ ...sandbox, readable: [] }, ''),
  }
  const taken = { id: 'j', data: job, starts: 1, signal: leave }
  const working = performJob(job, { taken, deadline: never, made: async () => {} }, shop)
  working.catch(() => {}) // looked at by the test
  await agent.untilBegun(1)
  return { agent, working, runs: paths.benchmark('b'), job: paths.job('b', 'j') }
}

test('what it made is refused, and removed', async () => {
  const { agent, working, runs, job } = await begin(never)
  rmSync(`${job}.1.part`, { recursive: true })
  agent.open()
  await expect(working).rejects.toThrow(AttemptError)
  expect(readdirSync(runs)).toEqual([])
})

test('control: where the job still lies there, what there is of the attempt is left to whoever puts it away', async () => {
  const leave = new AbortController()
  const { working, job } = await begin(leave.signal)
  leave.abort(new Error('lost'))
  await expect(working).rejects.toThrow('lost')
  expect(existsSync(`${job}.1.part/timing.json`)).toBe(true)
})
