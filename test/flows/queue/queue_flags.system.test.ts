/** What the flags and the environment of a queue do on the command line. */
import { expect, test } from 'vitest'
import { queueWish } from '../../../src/cli/commands/options/queue_flags.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis } from '../../jobs/queue/servers.ts'
import { redisHere } from './here.ts'
import { startWorker } from './worker.ts'

const nowhere = 'redis://127.0.0.1:1'
const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
const bench = (...flags: string[]) => [
  ...['bench', skill, '--engine', agent('tidy.mjs'), '--runs', '1', '--no-cache', '--sandbox', 'off'],
  ...['--workspace', fresh(), ...flags],
]

test.each([
  ['tags', { tags: 'gpu' }, '--tags without --queue', 'add --queue with the address of the queue server'],
  [
    'a shared folder',
    { shared: fresh() },
    '--shared without --queue',
    'add --queue with the address of the queue server',
  ],
  [
    'an authority',
    { queueCa: 'ca.pem' },
    '--queue-ca without --queue',
    'add --queue with the address of the queue server',
  ],
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

test.each([
  ['a benchmark with tags and no queue', bench('--tags', 'gpu'), /--tags without --queue\nhint: add --queue/],
  ['a worker without a queue', ['queue', 'work', '--shared', fresh()], /no queue server\n.*or set WHETSTONE_QUEUE/],
  [
    'a worker without a shared folder',
    ['queue', 'work', '--queue', nowhere],
    /--queue without --shared\nhint: add --shared/,
  ],
  [
    'a worker with tags that are none',
    ['queue', 'work', '--queue', nowhere, '--queue-wait', '0', '--sandbox', 'off', '--shared', fresh(), '--tags', ',,'],
    /--tags ",,": empty list\nhint: use a list such as --tags gpu,eu/,
  ],
  [
    'a worker with engines that are none',
    [
      'queue',
      'work',
      '--queue',
      nowhere,
      '--queue-wait',
      '0',
      '--sandbox',
      'off',
      '--shared',
      fresh(),
      '--engines',
      ' ',
    ],
    /--engines " ": empty list/,
  ],
  ['a benchmark with tags that are none', bench('--queue', nowhere, '--shared', fresh(), '--tags', ','), /empty list/],
])('%s is refused', async (_what, args, message) => {
  expect(await whetstone(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('WHETSTONE_QUEUE alone sends no run elsewhere; a look at the queue takes it', async () => {
  const env = { WHETSTONE_QUEUE: nowhere }
  const end = await whetstone(bench(), { env })
  expect(end.code, end.stderr).toBe(0)
  const look = await whetstone(['queue', 'status', '--queue-wait', '0'], { env })
  expect(look).toMatchObject({ code: 3, stderr: expect.stringMatching(`--queue ${nowhere}: .*ECONNREFUSED`) })
  const sent = await whetstone(bench('--queue', nowhere, '--queue-wait', '0', '--shared', fresh()), { env })
  expect(sent.code, sent.stderr).toBe(3) // control: by the flag they go there
})

needsRedis('workers by the command line', () => {
  const url = redisHere()
  test('take what their tags and engines say, and nothing else', async () => {
    const shared = fresh()
    const start = (...flags: string[]) => startWorker(url(), shared, { flags })
    await using plain = await start()
    await using some = await start('--tags', 'gpu')
    await using other = await start('--tags', 'gpu,eu', '--engines', 'anthropic')
    await using all = await start('--tags', 'eu, gpu,large', '--engines', 'anthropic,command')
    const end = await whetstone(bench('--queue', url(), '--shared', shared, '--tags', 'gpu,eu'))
    expect(end.code, end.stderr).toBe(0)
    expect([plain, some, other, all].map((one) => one.ended())).toEqual([0, 0, 0, 2])
    const engines = (one: typeof all) => one.events.find(({ type }) => type === 'worker_started')?.engines
    expect([engines(other), engines(all)]).toEqual([['anthropic'], ['anthropic', 'command']])
    const status = JSON.parse((await whetstone(['queue', 'status', '--json', '--queue', url()])).stdout)
    expect(status.workers).toContainEqual(expect.objectContaining({ tags: ['eu', 'gpu', 'large'] }))
  }, 60_000)
})
