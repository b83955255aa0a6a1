/** A queue that not everybody may use: who has no password gets in nowhere, who has no key gets nothing run, and neither is ever shown. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { createSigner } from '../../../src/jobs/queue/sign.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { makeAgent, redisHere, workHere } from './here.ts'
import { jobOf } from './job.ts'
import { contentOf, recordsIn } from './left_files.ts'
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

  test('a bundle that is damaged where it is kept fails its runs, by name; the same command again mends it', async () => {
    const [shared, workspace] = [fresh(), fresh()]
    const args = benchOf(workspace, url(), shared)
    const first = runMain(args)
    const bundles = path.join(shared, 'bundles')
    const isVictim = (file: string) =>
      /^[0-9a-f]+$/.test(path.basename(file)) && statSync(file).isFile() && readFileSync(file, 'utf8') === 'one'
    const victim = () =>
      (existsSync(bundles) ? readdirSync(bundles, { recursive: true, encoding: 'utf8' }) : [])
        .map((name) => path.join(bundles, name))
        .find(isVictim)
    await expect.poll(victim).toBeDefined()
    const file = victim() ?? ''
    writeFileSync(file, 'two')
    await using worker = await workHere(url(), shared)
    const end = await first
    expect(end.code, end.stderr).toBe(3)
    const message = expect.stringMatching(/bundle [0-9a-f]{64}: \S*in\.txt does not match its hash/)
    expect(recordsIn(workspace)).toEqual(Array(2).fill(expect.objectContaining({ error: { kind: 'setup', message } })))
    expect(worker.told).toContainEqual(
      expect.objectContaining({ type: 'bundle_damaged', place: file, problem: 'damaged' }),
    )
    const again = await runMain(args)
    expect(again.code, again.stderr).toBe(0)
    expect(recordsIn(workspace).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  test('a worker refuses a job whose agent would see the way to the queue, and begins the same one without that', async () => {
    const { engine, starts } = makeAgent()
    await using worker = await workHere(url(), fresh(), { env: { WHETSTONE_QUEUE_KEY: 'k'.repeat(40) } })
    await using there = await openTransport(parseQueueAddress(url()))
    const needs = resolveQueueNeeds({ name: 'command', model: null }, [], {})
    const queue = queueName(needs)
    await there.post({ id: queue, value: { kind: 'queue', queue, needs, at: new Date().toISOString() } })
    const run = specOf({ engine: { name: 'command', model: null, command: engine.replace('command:', '') } })
    const endOf = async (id: string, names: string[]) => {
      await there.submit(queue, { id, data: jobOf(run, { pass_env: names }) })
      return await there.wait(queue, id, new AbortController().signal)
    }
    const reason = 'the job asks for WHETSTONE_QUEUE_KEY, which runs may not see'
    expect(await endOf('a', ['WHETSTONE_QUEUE_KEY'])).toEqual({ as: 'failed', reason })
    expect(worker.told).toContainEqual({ type: 'job_refused', job: 'a', queue, reason })
    expect(starts()).toBe(0)
    expect(await endOf('b', ['LANG'])).toMatchObject({ as: 'done' })
    expect(starts()).toBe(1)
    await there.remove(queue, ['a', 'b'])
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
