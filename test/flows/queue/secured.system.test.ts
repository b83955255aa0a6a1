/** A queue that not everybody may use: who has no password gets in nowhere, who has no key gets nothing run, and neither is ever shown. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'
import { needsPostgres, needsRedis, startPostgres, startRedis } from '../../jobs/queue/servers.ts'
import { startWorker } from './worker.ts'

const secret = 'correct-horse-battery-staple'
const skill = () =>
  makeSkill([{ id: 1, prompt: 'task', files: ['evals/in.txt'], checks: [{ type: 'contains', value: 'TIDY' }] }], {
    'evals/in.txt': 'one',
  })
const benchOf = (workspace: string, queue: string, shared: string) => [
  ...['bench', skill(), '--engine', agent('tidy.mjs'), '--runs', '1', '--no-cache', '--workspace', workspace],
  ...['--queue', queue, '--shared', shared],
]

function keyFile(key = 'k'.repeat(40)): string {
  const file = path.join(fresh(), 'queue.key')
  writeFileSync(file, key)
  return file
}

/** All that lies below the folders, as text. */
function contentOf(...folders: string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
    )
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n')
}

function recordsIn(workspace: string): { status: string; error?: { kind: string; message: string } }[] {
  const files = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('run.json'),
  )
  return files.map((name) => JSON.parse(readFileSync(path.join(workspace, name), 'utf8')))
}

needsRedis('redis with encryption, a user and a key', () => {
  test('a benchmark goes through it; password and key are nowhere in what is written', async () => {
    const folder = fresh()
    const certificates = makeCertificates(folder)
    await using server = await startRedis({
      tls: certificates,
      acl: ['user default off', `user whetstone on >${secret} ~whetstone:* &* +@all`],
    })
    const [shared, workspace, key] = [fresh(), fresh(), keyFile()]
    const passwordFile = path.join(folder, 'password')
    writeFileSync(passwordFile, `${secret}\n`)
    const trust = ['--queue-ca', certificates.ca]
    await using worker = await startWorker(server.url, shared, {
      env: { WHETSTONE_QUEUE_USER: 'whetstone' },
      flags: [...trust, '--queue-password-file', passwordFile, '--key-file', key],
    })
    const open = server.url.replace('//', `//whetstone:${secret}@`)
    const loginByEnvironment = { WHETSTONE_QUEUE_USER: 'whetstone', WHETSTONE_QUEUE_PASSWORD: secret }
    const asked = [...benchOf(workspace, server.url, shared), ...trust, '--key-file', key]
    const end = await whetstone(asked, { env: loginByEnvironment })
    expect(end.code, end.stderr).toBe(0)
    const status = await whetstone(['queue', 'status', '--json', ...trust], { env: { WHETSTONE_QUEUE: open } })
    expect(JSON.parse(status.stdout)).toMatchObject({ place: server.url, workers: [{ places: 4 }] })
    const wrong = await whetstone(['queue', 'status', ...trust], {
      env: { WHETSTONE_QUEUE: open.replace('staple', 'stable') },
    })
    const exposed = await whetstone([...benchOf(fresh(), open, shared), ...trust])
    expect(exposed).toMatchObject({ code: 2, stderr: expect.stringContaining('set WHETSTONE_QUEUE_PASSWORD instead') })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('WRONGPASS') })
    await worker.stop()
    const all = [
      contentOf(workspace, shared),
      worker.said(),
      ...[end, status, wrong, exposed].flatMap((one) => [one.stdout, one.stderr]),
    ]
    for (const text of all) expect(text).not.toMatch(/correct-horse|k{40}/)
    expect(all.join('')).toContain('TIDY') // control: what was said is in what was searched
  }, 90_000)
  test('a worker with a key runs no job that is not signed with it, and one without a key does', async () => {
    await using server = await startRedis()
    const shared = fresh()
    await using careful = await startWorker(server.url, shared, { flags: ['--key-file', keyFile()] })
    for (const flags of [[], ['--key-file', keyFile('x'.repeat(40))]]) {
      const workspace = fresh()
      const end = await whetstone([...benchOf(workspace, server.url, shared), ...flags])
      expect(end.code, end.stderr).toBe(3)
      expect(recordsIn(workspace)).toEqual(
        Array(2).fill(
          expect.objectContaining({
            status: 'failed',
            error: { kind: 'setup', message: expect.stringContaining('not signed with the key of this worker') },
          }),
        ),
      )
    }
    expect(careful.started()).toBe(0)
    expect(careful.events.filter(({ type }) => type === 'job_refused')).toHaveLength(4)
    await careful.kill()
    await using careless = await startWorker(server.url, shared)
    const workspace = fresh()
    expect((await whetstone(benchOf(workspace, server.url, shared))).code).toBe(0)
    expect(careless.said()).toContain('no --key-file')
  }, 90_000)
  test('a key that is short and a folder without a queue are refused before anything is done', async () => {
    const short = path.join(fresh(), 'short')
    writeFileSync(short, 'abc')
    const asked = benchOf(fresh(), 'redis://127.0.0.1:1', fresh())
    expect(await whetstone([...asked, '--key-file', short])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too short'),
    })
    const printed = await whetstone([...benchOf(fresh(), `redis://me:${secret}@h`, fresh()), '--print-config'])
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('redis://***@h') })
    expect(printed.stdout).not.toContain(secret)
    const local = ['bench', skill(), '--engine', agent('tidy.mjs'), '--key-file', short]
    expect(await whetstone(local)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--key-file without --queue'),
    })
  })

  test('a bundle that is damaged where it is kept fails its runs, by name; the same command again mends it', async () => {
    await using server = await startRedis()
    const [shared, workspace] = [fresh(), fresh()]
    const args = benchOf(workspace, server.url, shared)
    const first = whetstone(args)
    const bundles = path.join(shared, 'bundles')
    const victim = () =>
      existsSync(bundles)
        ? readdirSync(bundles, { recursive: true, encoding: 'utf8' })
            .map((name) => path.join(bundles, name))
            .find(
              (file) =>
                /^[0-9a-f]+$/.test(path.basename(file)) &&
                statSync(file).isFile() &&
                readFileSync(file, 'utf8') === 'one',
            )
        : undefined
    while (victim() === undefined) await sleep(20)
    const file = victim() ?? ''
    writeFileSync(file, 'two')
    await using worker = await startWorker(server.url, shared)
    const end = await first
    expect(end.code, end.stderr).toBe(3)
    const message = expect.stringMatching(/bundle [0-9a-f]{64}: \S*in\.txt does not match its hash/)
    expect(recordsIn(workspace)).toEqual(Array(2).fill(expect.objectContaining({ error: { kind: 'setup', message } })))
    const damaged = worker.events.filter(({ type }) => type === 'bundle_damaged')
    expect(damaged.length).toBeGreaterThanOrEqual(2)
    expect(damaged[0]).toMatchObject({ level: 'error', place: file, problem: 'damaged' })
    const again = await whetstone(args)
    expect(again.code, again.stderr).toBe(0)
    expect(recordsIn(workspace).map(({ status }) => status)).toEqual(['completed', 'completed'])
  }, 90_000)
})

needsPostgres('postgres with encryption and a password', () => {
  test('a benchmark goes through it; the password is nowhere in what is written', async () => {
    const certificates = makeCertificates(fresh())
    await using server = await startPostgres({ tls: certificates, password: secret })
    const [shared, workspace] = [fresh(), fresh()]
    const env = {
      WHETSTONE_QUEUE_USER: 'whetstone',
      WHETSTONE_QUEUE_PASSWORD: secret,
      WHETSTONE_QUEUE_CA: certificates.ca,
    }
    await using worker = await startWorker(server.url, shared, { env })
    const end = await whetstone(benchOf(workspace, server.url, shared), { env })
    expect(end.code, end.stderr).toBe(0)
    await worker.stop()
    for (const text of [contentOf(workspace, shared), worker.said(), end.stdout, end.stderr]) {
      expect(text).not.toContain(secret)
    }
    const none = await whetstone(['queue', 'status', '--queue', server.url], {
      env: { ...env, WHETSTONE_QUEUE_PASSWORD: 'no' },
    })
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('password authentication failed') })
  }, 90_000)
})

describe('what a worker shows', () => {
  needsRedis('through redis', () => {
    test('its metrics while it works, its spans at the latest when it stops', async () => {
      const sent: string[] = []
      const collector = createServer(async (request, response) => {
        let body = ''
        for await (const part of request) body += String(part)
        sent.push(body)
        response.end('{}')
      })
      collector.listen(0, '127.0.0.1')
      await once(collector, 'listening')
      const address = collector.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      await using server = await startRedis()
      const [shared, workspace] = [fresh(), fresh()]
      mkdirSync(shared, { recursive: true })
      await using worker = await startWorker(server.url, shared, {
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
        flags: ['--metrics-port', '0'],
      })
      expect((await whetstone(benchOf(workspace, server.url, shared))).code).toBe(0)
      const url = /metrics at (\S+)/.exec(worker.said())?.[1] ?? ''
      const text = await (await fetch(url)).text()
      expect(text).toContain('whetstone_runs_total{engine="command",status="completed",error=""} 2')
      expect(text).toMatch(/whetstone_jobs_taken_total\{queue="runs-[0-9a-f]{16}"\} 2/)
      expect(text).toMatch(
        /^whetstone_queue_jobs\{queue="runs-[0-9a-f]{16}",engine="command",tags="",state="waiting"\} 0$/m,
      )
      await worker.stop()
      collector.close()
      expect(sent.join('').match(/"invoke_agent command"/g)).toHaveLength(2)
      const types = worker.events.map(({ type, level }) => `${level} ${type}`)
      expect([types[0], types.at(-1)]).toEqual(['info worker_started', 'info worker_stopped'])
    }, 90_000)
  })
})
