/** Anthropic's Message Batches API. */
import Anthropic from '@anthropic-ai/sdk'
import type { MessageBatchResult } from '@anthropic-ai/sdk/resources/messages/batches'
import { VERSION } from '@anthropic-ai/sdk/version'
import type { BatchApi, BatchResult } from '../batch/batch_api.ts'
import { attemptBatchCall } from '../batch/batch_api.ts'
import type { EngineError } from '../engine.ts'
import { isRetryableKind } from '../limits/error_text.ts'
import { anthropicModel } from '../models/providers.ts'
import { kindOfWord } from '../tool_loop/sdk_error.ts'
import { submitTool } from '../tool_loop/tool_calls.ts'
import { describeTools } from '../tool_loop/tools/table.ts'
import { openFirstPartyClient } from './client.ts'
import { buildOnlyRequest, toAnthropicResponse } from './session.ts'

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
      const kind = kindOfWord(type) ?? 'server_error'
      return failed({ kind, message, retryable: isRetryableKind(kind), retryAfterMs: null })
    }
    case 'expired':
    case 'canceled':
      return failed({
        kind: 'server_error',
        message: `the batch ended without an answer to this request (${result.type})`,
        retryable: true,
        retryAfterMs: null,
      })
  }
}

function failed(error: EngineError): BatchResult {
  return { status: 'failed', error }
}
