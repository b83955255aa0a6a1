/** A queue that not everybody may use, and the sandbox of its workers: who has no password gets in nowhere, who has no key gets nothing run, neither is ever shown, and no agent reads what lies beside its run. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSigner } from '../../../src/features/queue/server/sign.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'
import { askedOf, benchHere, makeAgent, redisHere, workHere } from './here.ts'
import { contentOf, recordsIn } from './left_files.ts'
import { needsRedis, startRedis } from './server/servers.ts'
import { startCollector } from './span_collector.ts'
import { startWorker } from './worker.ts'

const secret = 'correct-horse-battery-staple'
const files = { 'evals/in.txt': 'one' }
const cases = [{ id: 1, prompt: 'task', files: ['evals/in.txt'], checks: [{ type: 'contains', value: 'TIDY' }] }]
const benchOf = (workspace: string, queue: string, shared: string, engine = makeAgent().engine) => [
  ...['bench', makeSkill(cases, files), '--engine', engine, '--runs', '1', '--no-cache', '--workspace', workspace],
  ...['--queue', queue, '--shared', shared, '--sandbox', 'off'],
]

function keyFile(key = 'k'.repeat(40)): string {
  const file = path.join(fresh(), 'queue.key')
  writeFileSync(file, key)
  return file
}

needsRedis('the program on a Redis with encryption, a user and a key', () => {
  test('makes a benchmark and shows metrics and spans; password and key are nowhere in what is written', async () => {
    const folder = fresh()
    const certificates = makeCertificates(folder)
    await using server = await startRedis({
      tls: certificates,
      acl: ['user default off', `user whetstone on >${secret} ~whetstone:* &* +@all`],
    })
    await using collector = await startCollector()
    const [shared, workspace, key] = [fresh(), fresh(), keyFile()]
    const passwordFile = path.join(folder, 'password')
    writeFileSync(passwordFile, `${secret}\n`)
    const trust = ['--queue-ca', certificates.ca]
    await using worker = await startWorker(server.url, shared, {
      env: { WHETSTONE_QUEUE_USER: 'whetstone', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      flags: [...trust, '--queue-password-file', passwordFile, '--key-file', key, '--metrics-port', '0'],
    })
    const open = server.url.replace('//', `//whetstone:${secret}@`)
    const loginByEnvironment = { WHETSTONE_QUEUE_USER: 'whetstone', WHETSTONE_QUEUE_PASSWORD: secret }
    const asked = [...benchOf(workspace, server.url, shared), ...trust, '--key-file', key]
    const end = await whetstone(asked, { env: loginByEnvironment })
    expect(end.code, end.stderr).toBe(0)
    const metrics = await (await fetch(/metrics at (\S+)/.exec(worker.said())?.[1] ?? '')).text()
    expect(metrics).toContain('whetstone_runs_total{engine="command",status="completed",error=""} 2')
    expect(metrics).toMatch(
      /^whetstone_queue_jobs\{queue="runs-[0-9a-f]{16}",engine="command",tags="",state="waiting"\} 0$/m,
    )
    const status = await runMain(['queue', 'status', '--json', ...trust], { env: { WHETSTONE_QUEUE: open } })
    expect(JSON.parse(status.stdout)).toMatchObject({ place: server.url, workers: [{ places: 4 }] })
    const wrong = await runMain(['queue', 'status', ...trust], {
      env: { WHETSTONE_QUEUE: open.replace('staple', 'stable') },
    })
    const exposed = await runMain([...benchOf(fresh(), open, shared), ...trust])
    expect(exposed).toMatchObject({ code: 2, stderr: expect.stringContaining('set WHETSTONE_QUEUE_PASSWORD instead') })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('WRONGPASS') })
    await worker.stop()
    expect(collector.spans.filter(({ name }) => name === 'invoke_agent command')).toHaveLength(2)
    const types = worker.events.map(({ type, level }) => `${level} ${type}`)
    expect([types[0], types.at(-1)]).toEqual(['info worker_started', 'info worker_stopped'])
    const said = [end, status, wrong, exposed].flatMap((one) => [one.stdout, one.stderr])
    const all = [contentOf(workspace, shared), worker.said(), metrics, ...said]
    for (const text of all) expect(text).not.toMatch(/correct-horse|k{40}/)
    expect(all.join('')).toContain('TIDY') // control: what was said is in what was searched
  })
})

needsRedis('through Redis', () => {
  const url = redisHere()

  test('a worker with a key runs no job that is not signed with it, and one without a key does', async () => {
    const shared = fresh()
    {
      await using careful = await workHere(url(), shared, { signer: createSigner(Buffer.from('k'.repeat(40))) })
      for (const flags of [[], ['--key-file', keyFile('x'.repeat(40))]]) {
        const workspace = fresh()
        const end = await runMain([...benchOf(workspace, url(), shared), ...flags])
        expect(end.code, end.stderr).toBe(3)
        const message = expect.stringContaining('not signed with the key of this worker')
        const refused = expect.objectContaining({ status: 'failed', error: { kind: 'setup', message } })
        expect(recordsIn(workspace)).toEqual([refused, refused])
      }
      const told = careful.told.map(({ type }) => type)
      expect(told).not.toContain('job_started')
      expect(told.filter((type) => type === 'job_refused')).toHaveLength(4)
    }
    await using _careless = await workHere(url(), shared)
    expect((await runMain(benchOf(fresh(), url(), shared))).code).toBe(0)
  })

  test('an agent on a worker has nothing of it in its environment, and of the rest what was asked for', async () => {
    const [shared, folder] = [fresh(), fresh()]
    const [script, seen] = [path.join(folder, 'env.sh'), path.join(folder, 'seen')]
    writeFileSync(script, `cat > task; { env; echo; } >> ${seen}; echo TIDY\n`)
    const login = { WHETSTONE_QUEUE_USER: 'default', WHETSTONE_QUEUE_PASSWORD: secret }
    const env = { ...login, WHETSTONE_QUEUE: url(), WHETSTONE_QUEUE_KEY: 'k'.repeat(40), OTHER: 'for the agent' }
    await using _worker = await workHere(url(), shared, { env })
    const args = benchOf(fresh(), url(), shared, `command:sh ${script}`)
    const end = await runMain([...args, '--pass-env', 'OTHER'], { env: { OTHER: env.OTHER } })
    expect(end.code, end.stderr).toBe(0)
    const text = readFileSync(seen, 'utf8')
    expect(text.match(/^OTHER=for the agent$/gm)).toHaveLength(2)
    expect(text).not.toMatch(/WHETSTONE_QUEUE|correct-horse|k{40}/)
  })
})

needsRedis('a user of Redis', () => {
  test.each([
    ['without the right to write', '+@all -@write', 2],
    ['without the right to run scripts', '+@all -@scripting', 2],
    ['with all rights (control)', '+@all', 0],
  ])('%s: a benchmark ends, and says so', async (_who, rights, code) => {
    await using server = await startRedis({
      acl: ['user default on nopass ~* &* +@all', `user whetstone on >secret ~* &* ${rights}`],
    })
    const shared = fresh()
    await using _worker = await workHere(server.url, shared)
    const env = { WHETSTONE_QUEUE_USER: 'whetstone', WHETSTONE_QUEUE_PASSWORD: 'secret' }
    const end = await runMain(benchOf(fresh(), server.url, shared), { env })
    expect(end.code, end.stderr).toBe(code)
    const refusal = /--queue redis:\/\/.*(NOPERM|can't run this command).*may this user write there/s
    if (code !== 0) expect(end.stderr).toMatch(refusal)
  })
})

/** What lies on a worker's machine beside the run, each file with a word of its own, and an agent that says what it can read of it. */
function makePlace() {
  const top = fresh()
  const at = (...parts: string[]) => path.join(top, ...parts)
  const secrets = { shared: at('data', 'shared', 'of-others'), home: at('home', '.netrc'), open: at('data', 'open') }
  for (const [name, file] of Object.entries(secrets)) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `canary-${name}\n`)
  }
  const agent = path.join(fresh(), 'reads.sh')
  const [shared, home, data] = [at('data', 'shared'), at('home'), at('data')]
  writeFileSync(
    agent,
    `cat > task; cat ${Object.values(secrets).join(' ')} 2> errors; ls -A ${shared} ${home} 2> errors; echo end\n`,
  )
  return { shared, home, data, engine: `command:sh ${agent}` }
}

/** Of what lies in the shared folder and in the home. */
const unseen = /canary-shared|canary-home|of-others|bundles|\.netrc/

const skill = () => makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'end' }] }])

needsRedis('through Redis', () => {
  const url = redisHere()

  needsSandbox('where a sandbox works', () => {
    /** What the two agents of a benchmark without a sandbox of its own said on such a worker. */
    const said = async (sandbox: readonly string[], ...asked: string[]) => {
      const place = makePlace()
      const workspace = fresh()
      const flags = ['--engines', 'command', '--allow-read', place.data]
      await using _worker = await startWorker(url(), place.shared, { env: { HOME: place.home }, sandbox, flags })
      const args = ['bench', skill(), '--engine', place.engine, '--runs', '1', '--workspace', workspace, ...asked]
      const end = await whetstone([...args, '--queue', url(), '--shared', place.shared])
      expect(end.code, end.stderr).toBe(0)
      return recordsIn(workspace).map(({ final_response, sandbox: used }) => ({
        final_response,
        mechanism: used?.mechanism,
      }))
    }
    test('an agent reads neither the shared folder nor a home, also where its benchmark asks for no sandbox', async () => {
      const confined = { final_response: expect.not.stringMatching(unseen), mechanism: 'bubblewrap' }
      const made = await said([], '--sandbox', 'off')
      expect(made).toEqual([confined, confined])
      for (const { final_response } of made) expect(final_response).toMatch(/^canary-open\n/)
    })
    test('control: off on both sides, it reads them', async () => {
      for (const { final_response, mechanism } of await said(['--sandbox', 'off'], '--sandbox', 'off')) {
        expect(mechanism).toBe('none')
        for (const word of ['canary-shared', 'canary-home', 'canary-open', 'bundles', '.netrc'])
          expect(final_response).toContain(word)
      }
    })
  })

  describe("a suite's commands on a worker without a sandbox", () => {
    const benched = async (...trust: string[]) => {
      const mark = path.join(fresh(), 'mark')
      const one = { id: 1, prompt: 'task', setup: `touch ${mark}`, checks: [{ type: 'contains', value: 'TIDY' }] }
      const shared = fresh()
      const flags = ['--engines', 'command']
      await using worker = await startWorker(url(), shared, { sandbox: ['--sandbox', 'off', ...trust], flags })
      const args = ['bench', makeSkill([one]), '--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off']
      const end = await whetstone([...args, '--workspace', fresh(), '--queue', url(), '--shared', shared, '--no-cache'])
      return { end, mark: existsSync(mark), said: worker.said() }
    }
    test('do not start: its user decides as well', async () => {
      const { end, mark, said } = await benched()
      expect(said).toMatch(/the job contains commands \(setup: touch .*--trust-suite/)
      expect(end.stderr).toMatch(/the job contains commands/)
      expect([mark, end.code]).toEqual([false, 3])
    })
    test('control: they do where it was started with --trust-suite', async () => {
      const { end, mark } = await benched('--trust-suite')
      expect([mark, end.code], end.stderr).toEqual([true, 0])
    })
  })

  test('jobs that name their own program are taken only by a worker whose user says so', async () => {
    const env = { ANTHROPIC_API_KEY: 'practice' }
    const engines = async (...flags: string[]) => {
      await using worker = await startWorker(url(), fresh(), { env, sandbox: ['--sandbox', 'auto'], flags })
      const [line] = worker.said().match(/working for .*/) ?? []
      return [line?.includes('anthropic'), line?.includes('command')]
    }
    expect(await engines()).toEqual([true, false])
    expect(await engines('--trust-suite')).toEqual([true, true])
    expect(await engines('--engines', 'command')).toEqual([false, true])
    const without = await whetstone(['queue', 'work', '--queue', url(), '--shared', fresh(), '--sandbox', 'auto'], {
      env: { PATH: poorPath() },
    })
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('use --engines command') })
  })

  needsSandbox('a benchmark that asks for an open network', () => {
    const made = async (network: 'none' | 'open' | null) => {
      const shared = fresh()
      const own = { mode: 'required', network, readable: [] } as const
      await using _worker = await workHere(url(), shared, { sandbox: own })
      const asked = askedOf({ engine: agent('tidy.mjs') }, ['one'], { url: url(), shared })
      const { events } = await benchHere({ ...asked, sandbox: { mode: 'auto', network: 'open', readable: [] } })
      return events.flatMap((event) => (event.type === 'run_finished' ? [event] : []))
    }
    test('gets failed runs from a worker whose user has not opened it, and they say so', async () => {
      const message = expect.stringMatching(/asks for an open network.*start the worker with --network open/)
      expect(await made(null)).toEqual(
        Array(2).fill(expect.objectContaining({ status: 'failed', kind: 'setup', message })),
      )
    })
    test.each(['open', 'none'] as const)(
      'control: with --network %s its runs are made',
      async (network) => {
        for (const one of await made(network)) expect(one).toMatchObject({ status: 'completed' })
      },
      60_000,
    )
  })

  /** A PATH with a shell and without bwrap. */
  const poorPath = () => {
    const folder = fresh()
    for (const name of ['sh', 'cat', 'sleep']) symlinkSync(`/bin/${name}`, path.join(folder, name))
    return folder
  }

  test('where none works, a worker does not start, and says what is missing; asked for less, it does', async () => {
    const flags = ['queue', 'work', '--queue', url(), '--shared', fresh()]
    const refused = await whetstone(flags, { env: { PATH: poorPath() } })
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--sandbox required: bwrap is not on PATH[\s\S]*install bubblewrap/),
    })
    await using worker = await startWorker(url(), fresh(), {
      env: { PATH: poorPath() },
      sandbox: ['--sandbox', 'auto'],
      flags: ['--engines', 'command'],
    })
    expect(worker.said()).toContain('working for')
  })

  test('a benchmark that requires one gets failed runs from a worker that has none, and they say so', async () => {
    const agent = makeAgent()
    const shared = fresh()
    const auto = { mode: 'auto', network: null, readable: [] } as const
    await using worker = await workHere(url(), shared, { env: { PATH: poorPath() }, sandbox: auto })
    const asked = askedOf(agent, ['one'], { url: url(), shared })
    const { events } = await benchHere({ ...asked, sandbox: { ...auto, mode: 'required' } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event] : []))
    const message = expect.stringMatching(/--sandbox required: bwrap is not on PATH/)
    expect(ends).toEqual(Array(2).fill(expect.objectContaining({ status: 'failed', kind: 'setup', message })))
    expect(agent.starts()).toBe(0)
    const { benchmark } = await benchHere(asked) // control: asked for less, the same worker makes them
    expect([benchmark.complete, agent.starts()]).toEqual([true, 2])
    expect(worker.told.filter(({ type }) => type === 'job_left')).toHaveLength(2)
  })
})
