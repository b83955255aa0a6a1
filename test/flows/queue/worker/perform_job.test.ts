/** A worker that comes too late: the job was put away while it worked, as after a freeze, and nothing of it is left lying. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { chooseSandbox } from '../../../../src/base/sandbox/choose.ts'
import { openAccountLimiters } from '../../../../src/flows/limits/rate_limiters.ts'
import { performJob } from '../../../../src/flows/queue/worker/perform_job.ts'
import { openBundles } from '../../../../src/store/bundles/bundles.ts'
import { openSharedObjects } from '../../../../src/store/bundles/objects.ts'
import { AttemptError, sharedPaths } from '../../../../src/store/shared/shared_runs.ts'
import { fresh } from '../../../e2e/program.ts'
import { specOf } from '../../../fixtures/run_spec.ts'
import { jobOf } from '../job.ts'

const never = new AbortController().signal

/** A run of an agent that waits until `open`, begun by a worker. */
async function begin(leave: AbortSignal) {
  const folder = fresh()
  const [script, begun, gate] = ['agent.sh', 'begun', 'open'].map((name) => path.join(folder, name))
  writeFileSync(`${script}`, `cat > task; touch ${begun}; while [ ! -e ${gate} ]; do sleep 0.02; done; echo messy\n`)
  const engine = { name: 'command', model: null, command: `sh ${script}` } as const
  const job = jobOf(specOf({ engine, configuration: 'without_skill', absent_skill: 'tidy' }))
  const paths = sharedPaths(fresh())
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  const context = { emit: () => {}, env, drain: never, signal: never, now: () => new Date() }
  const wish = { mode: 'off', network: null, readable: [] } as const
  const services = {
    ...{ worker: 'w', paths, env, hidden: [], pace: openAccountLimiters(undefined, context), own: wish },
    bundles: await openBundles({ objects: openSharedObjects(paths.bundles), cache: null }),
    sandbox: () => chooseSandbox(wish, ''),
  }
  const taken = { id: 'j', data: job, starts: 1, signal: leave }
  const working = performJob(job, { taken, deadline: never, made: async () => {} }, services)
  working.catch(() => {}) // looked at by the test
  await Promise.race([expect.poll(() => existsSync(`${begun}`)).toBe(true), working])
  return {
    open: () => writeFileSync(`${gate}`, ''),
    working,
    runs: paths.benchmark(job.benchmark),
    job: paths.job(job.benchmark, 'j'),
  }
}

test('what it made is refused, and removed', async () => {
  const { open, working, runs, job } = await begin(never)
  rmSync(`${job}.1.part`, { recursive: true })
  open()
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
