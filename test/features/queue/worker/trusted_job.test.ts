/** What a worker takes for a job: signed, of this id, not expired, nothing that leads to the queue, no command outside of a sandbox; and what it leaves of one that was put away while it worked. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunSpec } from '../../../../schemas/plan.ts'
import { type QueueJob, queueJob } from '../../../../schemas/queue_job.ts'
import { chooseSandbox, type SandboxMode } from '../../../../src/base/sandbox/choose.ts'
import { openBundles } from '../../../../src/features/queue/files/bundles.ts'
import { openSharedObjects } from '../../../../src/features/queue/files/manifest.ts'
import { AttemptError, sharedPaths } from '../../../../src/features/queue/files/shared_runs.ts'
import { createSigner } from '../../../../src/features/queue/server/sign.ts'
import { performJob } from '../../../../src/features/queue/worker/perform_job.ts'
import {
  chooseStricterSandbox,
  parseTrustedJob,
  refuseCommands,
  refuseVariables,
} from '../../../../src/features/queue/worker/trusted_job.ts'
import { openAccountLimiters } from '../../../../src/flows/limits/rate_limiters.ts'
import { listSkillFiles } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { fresh, makeSkill } from '../../../e2e/program.ts'
import { specOf } from '../../../fixtures/run_spec.ts'

/** As a coordinator without a key would submit it; parts can be changed. */
function jobOf(run: RunSpec, changes: Partial<QueueJob> = {}): QueueJob {
  return queueJob.parse({
    ...{ schema_version: 4, benchmark: '0123456789abcdef', attempt: 1, run, inputs: null, skills: {}, prompt: null },
    ...{ pass_env: [], sandbox: { mode: 'off', network: null }, idle_ms: null, keep_work: false, signature: null },
    ...{ expires_at: '2026-01-15T10:31:00.000Z' },
    ...changes,
  })
}

const signer = createSigner(Buffer.from('k'.repeat(40)))
const now = new Date('2026-01-15T10:30:00Z')
const job = jobOf(specOf(), { expires_at: '2026-01-15T10:31:00.000Z' })
const signed = (one: QueueJob, id = 'a') => ({ ...one, signature: signer.sign({ id, ...one }) })

describe('a worker with a key', () => {
  const refusals = (data: unknown, id = 'a') => {
    const told: string[] = []
    const trust = { signer, now, engines: ['command'], refused: (reason: string) => void told.push(reason) }
    try {
      expect(parseTrustedJob({ id, data }, trust)).toEqual(data)
    } catch (error) {
      expect(told).toEqual([error instanceof Error ? error.message : ''])
    }
    return told
  }
  const late = { ...job, expires_at: '2026-01-15T10:29:59.000Z' }
  const other = { ...job, run: specOf({ engine: { name: 'codex', model: null } }) }
  test.each([
    ['an expired one', signed(late), 'a', 'is signed until 2026-01-15T10:29:59'],
    ['one that somebody gave more time', { ...signed(late), expires_at: job.expires_at }, 'a', 'not signed'],
    ['one under another id', signed(job), 'b', 'not signed'],
    ['an unsigned one', job, 'a', 'not signed'],
    ['one of an engine that it does not offer', signed(other), 'a', 'of the engine codex, which this worker does not'],
  ])('refuses %s', (_what, data, id, reason) => {
    expect(refusals(data, id)).toEqual([expect.stringContaining(reason)])
  })
  test.each([
    [['WHETSTONE_QUEUE_KEY'], 'asks for WHETSTONE_QUEUE_KEY, which runs may not see'],
    [['LANG', 'WHETSTONE_QUEUE_PASSWORD'], 'asks for WHETSTONE_QUEUE_PASSWORD'],
    [['whetstone_queue_key'], 'asks for whetstone_queue_key'], // the same variable where names have no case
    [['WHETSTONE_QUEUE'], 'asks for WHETSTONE_QUEUE,'],
  ])('refuses a signed one whose agent would see %s', (names, reason) => {
    expect(refusals(signed({ ...job, pass_env: names }))).toEqual([expect.stringContaining(reason)])
  })
  test('control: takes a signed one, with any other variable', () => {
    expect(refusals(signed(job))).toEqual([])
    expect(refusals(signed({ ...job, pass_env: ['WHETSTONE_OTHER', 'MY_WHETSTONE_QUEUE_KEY'] }))).toEqual([])
  })
  test('control: one without a key takes it expired and unsigned', () => {
    const trust = { signer: null, now, engines: ['command'], refused: () => {} }
    expect(parseTrustedJob({ id: 'b', data: late }, trust)).toEqual(late)
  })
})

describe('a worker without a sandbox', async () => {
  const off = await chooseSandbox({ mode: 'off', network: null, readable: [] }, '')
  const hooks = 'hooks: { Stop: [{ hooks: [{ type: command, command: touch mark }] }] }'
  const fetched = async (key: string, isWith = true, body = 'Tidy up.') => {
    const folder = makeSkill([], { 'SKILL.md': `---\nname: tidy\ndescription: Tidies up.\n${key}\n---\n${body}\n` })
    const skill = { name: 'tidy', description: 'Tidies up.', path: folder, sha256: 'a'.repeat(64) }
    const { files } = await listSkillFiles(folder)
    return { spec: specOf(isWith ? { skill } : {}), skills: new Map([[skill.sha256, files]]) }
  }
  test('refuses a hook of the skill, whatever the job says of it', async () => {
    await expect(refuseCommands(await fetched(hooks), off)).rejects.toThrow(
      /the job contains commands \(hook: Stop: touch mark\).*--trust-suite/,
    )
  })
  test('refuses a command in the text of the skill', async () => {
    const asked = await fetched('license: MIT', true, 'State: !`touch mark`')
    await expect(refuseCommands(asked, off)).rejects.toThrow('skill_command: touch mark')
  })
  test('control: takes it with --trust-suite, in a sandbox, without the skill, or where the skill starts nothing', async () => {
    await refuseCommands(await fetched(hooks), off, true)
    await refuseCommands(await fetched(hooks), { ...off, mechanism: 'bubblewrap' })
    await refuseCommands(await fetched(hooks, false), off)
    await refuseCommands(await fetched('license: MIT'), off)
  })
})

describe('the sandbox of a job', () => {
  test.each<[own: SandboxMode, asked: SandboxMode, used: SandboxMode]>([
    ['off', 'off', 'off'],
    ['off', 'required', 'required'],
    ['auto', 'off', 'auto'],
    ['auto', 'required', 'required'],
    ['required', 'auto', 'required'],
  ])('of a worker with %s and a benchmark with %s: %s', (own, asked, used) => {
    const readable = ['/mnt/models']
    const chosen = chooseStricterSandbox({ mode: own, network: null, readable }, { mode: asked, network: null })
    expect(chosen).toEqual({ mode: used, network: null, readable })
  })
  test.each(['none', 'open', null] as const)(
    'has the network that the benchmark says (%s), unless the worker does',
    (asked) => {
      const of = (network: 'none' | 'open' | null) =>
        chooseStricterSandbox({ mode: 'auto', network, readable: [] }, { mode: 'auto', network: asked }).network
      expect([of(null), of('none'), of('open')]).toEqual([asked, 'none', 'open'])
    },
  )
})

test('a variable that a program could take as code is refused, and taken by a worker with --trust-suite', () => {
  const none = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
  const setting = (env: Record<string, string>) => specOf({ environment: { ...none, env } })
  const own = { mechanism: 'none', program: null, reason: 'a test', network: null, readable: [] } as const
  expect(() => refuseVariables(setting({ BROWSER: 'id' }), own)).toThrow(/sets the variable BROWSER: .*--trust-suite/)
  refuseVariables(setting({ BROWSER: 'id' }), { ...own, anyVariable: true })
  refuseVariables(setting({ MODE: 'x' }), own)
})

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
    bundles: openBundles({
      objects: openSharedObjects(paths.bundles),
      ...{ folder: fresh(), maxBytes: 2 ** 20 },
      onDamage: () => {},
    }),
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
