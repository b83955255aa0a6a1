/** A queue server that lets us in and then refuses what we ask of it: the command says so and ends. */
import { expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { startWorker } from './worker.ts'

const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])

needsRedis('a user of Redis', () => {
  test.each([
    ['without the right to write', '+@all -@write', 2],
    ['without the right to run scripts', '+@all -@scripting', 2],
    ['with all rights (control)', '+@all', 0],
  ])(
    '%s: a benchmark ends',
    async (_who, rights, code) => {
      await using server = await startRedis({
        acl: ['user default on nopass ~* &* +@all', `user whetstone on >secret ~* &* ${rights}`],
      })
      const shared = fresh()
      await using _worker = await startWorker(server.url, shared)
      const env = { WHETSTONE_QUEUE_USER: 'whetstone', WHETSTONE_QUEUE_PASSWORD: 'secret' }
      const bench = ['bench', skill, '--engine', agent('tidy.mjs'), '--runs', '1', '--no-cache', '--sandbox', 'off']
      const args = [...bench, '--workspace', fresh(), '--queue', server.url, '--shared', shared]
      const end = await whetstone(args, {
        env,
        started: (child) => void setTimeout(() => child.kill('SIGKILL'), 20_000),
      })
      expect(end.code, end.stderr).toBe(code)
      if (code !== 0)
        expect(end.stderr).toMatch(/--queue redis:\/\/.*(NOPERM|can't run this command).*may this user write there/s)
    },
    30_000,
  )
})
