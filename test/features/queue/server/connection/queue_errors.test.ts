/** What a worker tells of its queue: an outage once and its end, and no words of a library. */
import { expect, test } from 'vitest'
import { retryDuringOutage } from '../../../../../src/features/queue/server/outage.ts'
import { createQueueErrorLog } from '../../../../../src/features/queue/server/queue_consumer.ts'

const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })

test('a server that is away is told once, and once that it is back', () => {
  const told: string[] = []
  const trouble = createQueueErrorLog((message) => told.push(message))
  trouble.back()
  for (let time = 0; time < 20; time += 1) trouble.hear(refused())
  trouble.back()
  trouble.back()
  const away = 'the queue server does not answer: connect ECONNREFUSED 127.0.0.1:1'
  expect(told).toEqual([away, 'the queue server answers again'])
  trouble.hear(refused())
  expect(told).toEqual([away, 'the queue server answers again', away])
})

test('a server that is away is asked less and less often', async () => {
  const start = performance.now()
  let asked = 0
  const ask = async () => {
    asked += 1
    throw refused()
  }
  await expect(retryDuringOutage(ask, () => performance.now() - start > 200)).rejects.toThrow('ECONNREFUSED')
  expect(asked).toBeLessThanOrEqual(4) // after 0, 50, 150 and 350 ms or later
})

test.each([
  ['could not renew lock for job abc', /^the lock of a job was lost/],
  ['Missing lock for job abc. moveToFinished', /^a late result was refused: the lock/],
  ['Missing key for job abc. moveToFinished', /^a late result was refused: its job/],
  ['something else', /^something else$/],
])('%s is told in our words', (message, said) => {
  const told: string[] = []
  createQueueErrorLog((one) => told.push(one)).hear(new Error(message))
  expect(told).toEqual([expect.stringMatching(said)])
})
