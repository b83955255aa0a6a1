/** Runs through PostgreSQL: the contract of whoever makes them, and a server with encryption and a password. */
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'
import { executorContract } from './executor_contract.ts'
import { makeAgent } from './here.ts'
import { contentOf } from './left_files.ts'
import { needsPostgres, startPostgres } from './server/servers.ts'
import { startWorker } from './worker.ts'

needsPostgres('runs made through PostgreSQL', () => executorContract(startPostgres))

needsPostgres('postgres with encryption and a password', () => {
  test('a benchmark goes through it; the password is nowhere in what is written', async () => {
    const secret = 'correct-horse-battery-staple'
    const { ca, ...certificates } = makeCertificates(fresh())
    await using server = await startPostgres({ tls: { ca, ...certificates }, password: secret })
    const [shared, workspace] = [fresh(), fresh()]
    const login = { WHETSTONE_QUEUE_USER: 'whetstone', WHETSTONE_QUEUE_PASSWORD: secret }
    const env = { ...login, WHETSTONE_QUEUE_CA: ca }
    await using worker = await startWorker(server.url, shared, { env })
    const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
    const flags = ['--engine', makeAgent().engine, '--runs', '1', '--no-cache', '--workspace', workspace]
    const end = await runMain(['bench', skill, ...flags, '--queue', server.url, '--shared', shared], { env })
    expect(end.code, end.stderr).toBe(0)
    await worker.stop()
    for (const text of [contentOf(workspace, shared), worker.said(), end.stdout, end.stderr]) {
      expect(text).not.toContain(secret)
    }
    const wrong = { ...env, WHETSTONE_QUEUE_PASSWORD: 'no' }
    const none = await runMain(['queue', 'status', '--queue', server.url], { env: wrong })
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('password authentication failed') })
  })
})
