/** Anthropic's Message Batches API. */
import Anthropic from '@anthropic-ai/sdk'
import type { MessageBatchResult } from '@anthropic-ai/sdk/resources/messages/batches'
import { VERSION } from '@anthropic-ai/sdk/version'
import { openFirstPartyClient } from '../../engines/anthropic/api.ts'
import { buildOnlyRequest, toAnthropicResponse } from '../../engines/anthropic/session.ts'
import { anthropicModel } from '../../engines/models/providers.ts'
import { kindOfWord } from '../../engines/tool_loop/sdk_error.ts'
import { submitTool } from '../../engines/tool_loop/tool_calls.ts'
import { describeTools } from '../../engines/tool_loop/tools/table.ts'
import type { OpenJudgeBatch } from '../../flows/judge_batch.ts'
import { attemptBatchCall, type BatchApi, type BatchResult, failItem } from './batch_api.ts'
import { openBatches } from './judge_batch.ts'

export const openAnthropicBatches: OpenJudgeBatch = (request, context) =>
  openBatches(anthropicBatches, request, context)

export const anthropicBatches: BatchApi = {
  provider: 'anthropic',
  version: VERSION,
  modelOf: ({ model }) => anthropicModel(model),
  body: (task) => ({ ...buildOnlyRequest(task, describeTools([], task.answerSchema), submitTool) }),
  open(credentials, send) {
    const client = openFirstPartyClient(credentials, send)
    const attempt = <T>(signal: AbortSignal, work: () => Promise<T>) =>
      attemptBatchCall({ work, signal, url: client.baseURL, errors: Anthropic })
    return {
      create: (items, signal) =>
        attempt(signal, async () => {
          const body = { requests: items.map(({ id, body: params }) => ({ custom_id: id, params })) }
          const batch: unknown = await client.post('/v1/messages/batches', { body, signal })
          return readId(batch)
        }),
      status: (id, signal) =>
        attempt(signal, async () => {
          const batch = await client.messages.batches.retrieve(id, {}, { signal })
          const { processing, ...ended } = batch.request_counts
          const done = Object.values(ended).reduce((sum, count) => sum + count, 0)
          return { hasEnded: batch.processing_status === 'ended', done }
        }),
      results: (id, signal) =>
        attempt(signal, async () => {
          const results = new Map<string, BatchResult>()
          for await (const line of await client.messages.batches.results(id, {}, { signal })) {
            results.set(line.custom_id, toResult(line.result))
          }
          return results
        }),
    }
  },
}

function readId(batch: unknown): string {
  const id = typeof batch === 'object' && batch !== null && 'id' in batch ? batch.id : undefined
  if (typeof id !== 'string') throw new Error('the server gave a batch without an id')
  return id
}

function toResult(result: MessageBatchResult): BatchResult {
  switch (result.type) {
    case 'succeeded':
      return { status: 'answered', response: toAnthropicResponse(result.message) }
    case 'errored': {
      const { type, message } = result.error.error
      return failItem(kindOfWord(type) ?? 'server_error', message)
    }
    case 'expired':
    case 'canceled':
      return failItem('server_error', `the batch ended without an answer to this request (${result.type})`)
  }
}
