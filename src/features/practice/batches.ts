/** The batch APIs of Anthropic and OpenAI: each request of a batch is answered by the scenario's rules, after some looks at it. */
import { randomBytes } from 'node:crypto'
import type { Dialogue } from './dialogue.ts'
import { createEntry, type LoggedRequest } from './log.ts'
import { type Reply, refusalReply } from './reply.ts'
import type { PracticeRequest } from './request.ts'
import type { Scenario } from './scenario/scenario.ts'
import { isRecord } from './scenario/strict_schema.ts'
import { anthropicWire } from './wires/anthropic.ts'
import { findWire } from './wires/table.ts'
import type { Wire } from './wires/wire.ts'

interface Item {
  id: string
  /** null: it expires. */
  result: { status: number; body: unknown } | null
}

interface Batch {
  id: string
  endpoint: string
  input: string
  items: readonly Item[]
  looks: number
  since: number
  cancelled: boolean
}

interface Answering {
  readonly scenario: Scenario
  answer(request: Dialogue, entry: LoggedRequest, trouble: null): { reply: Reply }
}

/** The API whose requests a batch contains. */
interface BatchedApi {
  wire: Wire
  path: string
}

/** The batches and uploaded files of one server. */
export class PracticeBatches {
  readonly #practice: Answering
  readonly #batches = new Map<string, Batch>()
  readonly #files = new Map<string, string>()

  constructor(practice: Answering) {
    this.#practice = practice
  }

  /** null: the request is not about batches or files. */
  answer({ method, path, body }: PracticeRequest): Reply | null {
    const [, place = '', id = '', part = ''] =
      /^\/v1\/(messages\/batches|batches|files)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(path) ?? []
    if (place === '') return null
    if (method === 'POST' && id === '') {
      if (place === 'files') return this.#upload(body.kind === 'not_json' ? body.text : '')
      const value = body.kind === 'json' && isRecord(body.value) ? body.value : {}
      return place === 'batches' ? this.#createOpenai(value) : this.#createAnthropic(value)
    }
    if (place === 'files' && part === 'content') return this.#download(id)
    const batch = this.#batches.get(id)
    if (batch === undefined) return refusalReply(404, `no such batch: ${id}`)
    if (method === 'POST' && part === 'cancel') batch.cancelled = true
    if (place === 'batches') return { kind: 'json', body: this.#describeOpenai(batch, this.#look(batch)) }
    if (part === 'results') return { kind: 'lines', lines: batch.items.map((item) => anthropicLine(item, batch)) }
    return { kind: 'json', body: this.#describeAnthropic(batch, this.#look(batch)) }
  }

  /** Whether it has ended: after so many looks, and not before so many milliseconds. */
  #look(batch: Batch): boolean {
    const { polls = 1, ms = 0 } = this.#practice.scenario.batches ?? {}
    batch.looks += 1
    return batch.cancelled || (batch.looks > polls && Date.now() - batch.since >= ms)
  }

  #createAnthropic({ requests }: Record<string, unknown>): Reply {
    if (!Array.isArray(requests) || requests.length === 0) return refusalReply(400, 'requests: Field required')
    const given = requests.filter(isRecord).map(({ custom_id: id, params }) => ({ id: String(id), body: params }))
    return this.#create(given, '', { wire: anthropicWire, path: '/v1/messages' }, (batch) =>
      this.#describeAnthropic(batch, false),
    )
  }

  #createOpenai({ input_file_id: input, endpoint }: Record<string, unknown>): Reply {
    const lines = this.#files.get(String(input))
    if (lines === undefined) return refusalReply(404, `no such file: ${String(input)}`)
    const path = String(endpoint)
    const wire = findWire({ path, dialect: 'openai' })
    const given = lines
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line): Record<string, unknown> => JSON.parse(line))
      .map(({ custom_id: id, body }) => ({ id: String(id), body }))
    return this.#create(given, String(input), { wire, path }, (batch) => this.#describeOpenai(batch, false))
  }

  #create(
    given: readonly { id: string; body: unknown }[],
    input: string,
    api: BatchedApi,
    describe: (batch: Batch) => unknown,
  ): Reply {
    if (new Set(given.map(({ id }) => id)).size < given.length) return refusalReply(400, 'custom_id must be unique')
    const isFirst = this.#batches.size === 0
    const expired = isFirst ? (this.#practice.scenario.batches?.expired ?? 0) : 0
    const items = given.map(({ id, body }, index) => ({
      id,
      result: index < expired ? null : this.#decide(body, api),
    }))
    const id = `${input === '' ? 'msgbatch' : 'batch'}_${randomBytes(8).toString('hex')}`
    const batch = { id, endpoint: api.path, input, items, looks: 0, since: Date.now(), cancelled: false }
    this.#batches.set(id, batch)
    return { kind: 'json', body: describe(batch) }
  }

  #decide(body: unknown, { wire, path }: BatchedApi): NonNullable<Item['result']> {
    const refuse = (status: number, message: string) => wire.refuse({ status, message, requestId: 'req_batch' })
    const read = wire.read(body, { counting: false })
    if (!read.ok) return refuse(400, read.why)
    const { reply } = this.#practice.answer(read.request, createEntry(0, { method: 'POST', path, userAgent: '' }), null)
    if (reply.kind === 'message') return { status: 200, body: wire.whole(reply.message, reply.tools) }
    return reply.kind === 'error'
      ? refuse(reply.status, reply.message)
      : refuse(500, 'this request cannot be in a batch')
  }

  #describeAnthropic({ id, items, cancelled }: Batch, hasEnded: boolean) {
    const count = (is: (item: Item) => boolean) => (hasEnded && !cancelled ? items.filter(is).length : 0)
    return {
      id,
      type: 'message_batch',
      processing_status: hasEnded ? 'ended' : 'in_progress',
      request_counts: {
        processing: hasEnded ? 0 : items.length,
        succeeded: count(({ result }) => result?.status === 200),
        errored: count(({ result }) => result !== null && result.status !== 200),
        expired: count(({ result }) => result === null),
        canceled: cancelled ? items.length : 0,
      },
      results_url: hasEnded ? `/v1/messages/batches/${id}/results` : null,
    }
  }

  #describeOpenai({ id, endpoint, input, items, cancelled }: Batch, hasEnded: boolean) {
    const good = items.filter(({ result }) => result?.status === 200).length
    const end = cancelled ? 'cancelled' : items.some(({ result }) => result === null) ? 'expired' : 'completed'
    return {
      id,
      object: 'batch',
      endpoint,
      input_file_id: input,
      completion_window: '24h',
      status: hasEnded ? end : 'in_progress',
      output_file_id: hasEnded && !cancelled ? `out_${id}` : null,
      error_file_id: hasEnded && good < items.length ? `err_${id}` : null,
      request_counts: {
        total: items.length,
        completed: hasEnded ? good : 0,
        failed: hasEnded ? items.length - good : 0,
      },
    }
  }

  #upload(text: string): Reply {
    const id = `file-${randomBytes(8).toString('hex')}`
    this.#files.set(id, text)
    return { kind: 'json', body: { id, object: 'file', bytes: text.length, purpose: 'batch', filename: 'batch.jsonl' } }
  }

  #download(file: string): Reply {
    const isGood = file.startsWith('out_')
    const batch = this.#batches.get(file.slice(4))
    if (batch === undefined) return refusalReply(404, `no such file: ${file}`)
    const items = batch.items.filter(({ result }) => (result?.status === 200) === isGood)
    return { kind: 'lines', lines: items.map(openaiLine) }
  }
}

function anthropicLine({ id, result }: Item, { cancelled }: Batch): string {
  const outcome = cancelled ? { type: 'canceled' } : anthropicResult(result)
  return JSON.stringify({ custom_id: id, result: outcome })
}

function anthropicResult(result: Item['result']) {
  if (result === null) return { type: 'expired' }
  return result.status === 200 ? { type: 'succeeded', message: result.body } : { type: 'errored', error: result.body }
}

function openaiLine({ id, result }: Item): string {
  const expired = { code: 'batch_expired', message: 'This request could not be executed before the batch expired.' }
  const response = result && { status_code: result.status, request_id: `req_${id}`, body: result.body }
  return JSON.stringify({ id: `batch_req_${id}`, custom_id: id, response, error: result === null ? expired : null })
}
