/** The wait for a batch, which may take a day. */
import { expect, test } from 'vitest'
import { openRateLimiter } from '../../../src/engines/limits/rate_limiter.ts'
import { openai } from '../../../src/engines/openai/openai.ts'
import { type BatchApi, batchEngine } from '../../../src/features/judge_batch/batch_api.ts'
import { openaiBatches } from '../../../src/features/judge_batch/openai.ts'
import { openStage } from '../../engines/stage.ts'

test('it is not an outage, even after a request of an earlier batch expired', async () => {
  await using stage = await openStage()
  const api: BatchApi = openaiBatches
  const seen: string[] = []
  const work = {
    start: () => {},
    wait: () => () => {},
    block: () => seen.push('block'),
    unblock: () => {},
    progress: () => seen.push('progress'),
  }
  const gate = openRateLimiter(null, undefined, work)
  const error = { kind: 'server_error', message: 'expired', retryable: true, retryAfterMs: null } as const
  const engine = batchEngine(openai, api, async () => {
    seen.push('asked')
    return { status: 'failed', error }
  })
  const signal = new AbortController().signal
  await gate.pause(0, signal)
  const task = stage.task({ answerSchema: { type: 'object', properties: {} }, tools: 'none' })
  const outcome = await engine.run(task, { signal, emit: () => {}, stderrFile: null, gate })
  expect(outcome.status).toBe('failed')
  expect(seen).toEqual(['block', 'progress', 'asked'])
})
