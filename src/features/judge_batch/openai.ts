/** OpenAI's Batch API: a file of requests to the Responses API, and files of their results. */
import OpenAI, { toFile } from 'openai'
import { VERSION } from 'openai/version'
import * as z from 'zod'
import { kindOfStatus } from '../../engines/limits/error_text.ts'
import { openaiModel } from '../../engines/models/providers.ts'
import { openOpenaiClient } from '../../engines/openai/client.ts'
import { buildOnlyResponse, toModelResponse } from '../../engines/openai/responses_session.ts'
import { submitTool } from '../../engines/tool_loop/tool_calls.ts'
import { describeTools } from '../../engines/tool_loop/tools/table.ts'
import type { OpenJudgeBatch } from '../../flows/judge_batch.ts'
import { attemptBatchCall, type BatchApi, type BatchItem, type BatchResult, failItem } from './batch_api.ts'
import { openBatches } from './judge_batch.ts'

const endpoint = '/v1/responses'

export const openOpenaiBatches: OpenJudgeBatch = (request, context) => openBatches(openaiBatches, request, context)

export const openaiBatches: BatchApi = {
  provider: 'openai',
  version: VERSION,
  modelOf: ({ model }) => openaiModel(model),
  body: (task) => ({ ...buildOnlyResponse(task, describeTools([], task.answerSchema), submitTool) }),
  open(credentials, send) {
    const client = openOpenaiClient({ credentials, model: null }, send)
    const attempt = <T>(signal: AbortSignal, work: () => Promise<T>) =>
      attemptBatchCall({ work, signal, url: client.baseURL, errors: OpenAI })
    return {
      create: (items, signal) =>
        attempt(signal, async () => {
          const file = await toFile(Buffer.from(items.map(toLine).join('')), 'batch.jsonl')
          const { id } = await client.files.create({ file, purpose: 'batch' }, { signal })
          const request = { input_file_id: id, endpoint, completion_window: '24h' } as const
          return (await client.batches.create(request, { signal })).id
        }),
      status: (id, signal) =>
        attempt(signal, async () => {
          const { status, request_counts: counts } = await client.batches.retrieve(id, { signal })
          const hasEnded = ['completed', 'failed', 'expired', 'cancelled'].includes(status)
          return { hasEnded, done: (counts?.completed ?? 0) + (counts?.failed ?? 0) }
        }),
      results: (id, signal) =>
        attempt(signal, async () => {
          const batch = await client.batches.retrieve(id, { signal })
          const files = [batch.output_file_id, batch.error_file_id].filter((file) => typeof file === 'string')
          const texts = await Promise.all(
            files.map(async (file) => (await client.files.content(file, { signal })).text()),
          )
          return new Map(texts.flatMap(readLines))
        }),
    }
  },
}

function toLine({ id, body }: BatchItem): string {
  return `${JSON.stringify({ custom_id: id, method: 'POST', url: endpoint, body })}\n`
}

const failure = z.object({ message: z.string().nullish(), code: z.string().nullish() })

const line = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullish(),
  error: failure.nullish(),
})

/** A response, as far as its reader needs it. */
const response = z.custom<OpenAI.Responses.Response>(
  (value) => typeof value === 'object' && value !== null && 'output' in value && Array.isArray(value.output),
)

function readLines(text: string): [string, BatchResult][] {
  const lines = text.split('\n').filter((one) => one.trim() !== '')
  return lines.map((one) => {
    const read = line.parse(JSON.parse(one))
    return [read.custom_id, toResult(read)]
  })
}

function toResult({ response: given, error }: z.infer<typeof line>): BatchResult {
  const answer = response.safeParse(given?.body)
  if (given?.status_code === 200 && answer.success)
    return { status: 'answered', response: toModelResponse(answer.data) }
  const refused = z.object({ error: failure }).safeParse(given?.body)
  const { message, code } = error ?? (refused.success ? refused.data.error : {})
  const kind = given ? kindOfStatus(given.status_code) : 'server_error'
  return failItem(kind, message ?? code ?? 'the batch ended without an answer to this request')
}
