/** What the flags and the environment of a queue do on the command line, where no server is reached. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { queueWish } from '../../../src/features/queue/flags.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const nowhere = 'redis://127.0.0.1:1'
const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
const bench = (...flags: string[]) => [
  ...['bench', skill, '--engine', tidyAgent, '--runs', '1', '--no-cache', '--sandbox', 'off'],
  ...['--workspace', fresh(), ...flags],
]
const work = (...flags: string[]) => ['queue', 'work', '--sandbox', 'off', ...flags]
const toNowhere = ['--queue', nowhere, '--queue-wait', '0', '--shared', fresh()]

const addQueue = 'add --queue with the address of the queue server'
test.each([
  ['tags', { tags: 'gpu' }, '--tags without --queue', addQueue],
  ['a key', { keyFile: 'queue.key' }, '--key-file without --queue', addQueue],
  [
    'a queue',
    { queue: nowhere },
    '--queue without --shared',
    'add --shared with a folder that coordinator and workers share',
  ],
])('%s alone is refused, also where the environment names a queue', (_what, asked, message, fix) => {
  for (const env of [{}, { WHETSTONE_QUEUE: nowhere }]) {
    const wish = () => queueWish({ inFlight: 1, ...asked }, env)
    expect(wish).toThrow(expect.objectContaining({ message, fix }))
  }
})

test('the environment alone is no wish; a queue and a folder are', () => {
  const shared = fresh()
  expect(queueWish({ inFlight: 7 }, { WHETSTONE_QUEUE: nowhere })).toBeNull()
  const wish = queueWish({ inFlight: 7, queue: nowhere, shared, tags: 'gpu, eu,' }, {})
  expect(wish).toMatchObject({ shared, atOnce: 7, tags: ['gpu', 'eu'], waitMs: 60_000, address: { place: nowhere } })
})

const shortKey = path.join(fresh(), 'short.key')
writeFileSync(shortKey, 'abc')

test.each([
  ['a worker without a queue', work('--shared', fresh()), /no queue server\n.*or set WHETSTONE_QUEUE/],
  ['a worker without a shared folder', work('--queue', nowhere), /--queue without --shared\nhint: add --shared/],
  [
    'a worker whose shared folder is not there',
    work('--queue', nowhere, '--shared', '/none'),
    /--shared \/none: no such folder/,
  ],
  ['a worker with engines that are none', work(...toNowhere, '--engines', ' '), /--engines " ": empty list/],
  ['a benchmark with tags that are none', bench(...toNowhere, '--tags', ','), /empty list/],
  ['a benchmark with a short key', bench(...toNowhere, '--key-file', shortKey), /too short/],
  ['a wait that is no time', ['queue', 'status', ...toNowhere.slice(0, 2), '--queue-wait', '-1'], /--queue-wait/],
  [
    'a benchmark whose runs would see the way to the queue',
    bench('--pass-env', 'WHETSTONE_QUEUE_PASSWORD'),
    /--pass-env WHETSTONE_QUEUE_PASSWORD: runs may not see/,
  ],
])('%s is refused', async (_what, args, message) => {
  expect(await runMain(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('a password in the address is not printed', async () => {
  const asked = bench('--queue', 'redis://me:correct-horse@h', '--shared', fresh(), '--print-config')
  const { code, stdout } = await runMain(asked)
  expect([code, stdout]).toEqual([0, expect.stringContaining('redis://***@h')])
  expect(stdout).not.toContain('correct-horse')
})

test('WHETSTONE_QUEUE alone sends no run elsewhere; a look at the queue takes it', async () => {
  const env = { WHETSTONE_QUEUE: nowhere }
  const end = await runMain(bench('--pass-env', 'WHETSTONE_OTHER'), { env })
  expect(end.code, end.stderr).toBe(0)
  const away = { code: 3, stderr: expect.stringMatching(`--queue ${nowhere}: .*ECONNREFUSED`) }
  const look = await runMain(['queue', 'status', '--queue-wait', '0', '--json'], { env })
  expect(look).toMatchObject(away)
  expect(JSON.parse(look.stdout)).toMatchObject({
    exit_code: 3,
    fix: expect.stringMatching('check that the server is running'),
  })
  // control: by the flag they go there, also of a dry run
  for (const how of ['--yes', '--dry-run']) expect(await runMain(bench(...toNowhere, how), { env })).toMatchObject(away)
})
