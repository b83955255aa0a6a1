/** Submits batches, remembers them on disk before it waits, and waits for their results, with growing pauses. */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JudgeBatches, judgeBatches } from '../../../schemas/judge_batches.ts'
import { readJson } from '../../base/json/json.ts'
import type { BatchClient, BatchItem, BatchReply, BatchResult } from '../../engines/batch/batch_api.ts'
import type { EngineError } from '../../engines/engine.ts'
import { isSignedFile, signaturePath, writeSigned } from '../../store/signing/signed_files.ts'
import { findSigner } from '../../store/signing/signer.ts'
import type { FlowContext } from '../flow_context.ts'

export interface BatchWaitsRequest {
  client: BatchClient
  /** judge_batches.json of the benchmark. */
  file: string
  engine: string
  baseUrl: string | null
  /** Milliseconds between two looks at a batch: at first, and at most. */
  pollMs: { first: number; most: number }
}

/** Failures in a row of the server after which a batch is given up for now; its id stays on disk. */
const maxFailures = 8

type Remembered = JudgeBatches['batches'][number]

export class BatchWaits {
  readonly #request: BatchWaitsRequest
  readonly #context: FlowContext
  readonly #known: Remembered[]
  /** Ids of batches whose results could not be read. */
  readonly #unread = new Set<string>()
  readonly #results = new Map<string, Promise<ReadonlyMap<string, BatchResult>>>()

  private constructor(request: BatchWaitsRequest, context: FlowContext, known: Remembered[]) {
    this.#request = request
    this.#context = context
    this.#known = known
  }

  static async open(request: BatchWaitsRequest, context: FlowContext): Promise<BatchWaits> {
    const isOwn = isSignedFile(request.file, findSigner(context.env))
    const stored = isOwn ? (await readJson(judgeBatches, request.file)).batches : []
    return new BatchWaits(request, context, stored)
  }

  /** The results of the earlier batch that has this item; null: none has it. */
  recall(id: string, signal: AbortSignal): Promise<ReadonlyMap<string, BatchResult>> | null {
    const batch = this.#known.find((one) => this.#isOwn(one) && one.items.includes(id))
    return batch === undefined ? null : this.#resultsOf(batch, signal)
  }

  /** Submits the items and waits for their results. Rejects only when aborted. */
  async submit(items: readonly BatchItem[], signal: AbortSignal): Promise<ReadonlyMap<string, BatchResult>> {
    const created = await persist(() => this.#request.client.create(items, signal), signal)
    if (!created.ok)
      return sameForAll(
        items.map(({ id }) => id),
        created.error,
      )
    const { engine, baseUrl } = this.#request
    const batch = {
      id: created.value,
      engine,
      base_url: baseUrl,
      created_at: this.#context.now().toISOString(),
      items: items.map(({ id }) => id),
    }
    this.#known.push(batch)
    await this.#write()
    return await this.#resultsOf(batch, signal)
  }

  /** Everything is graded: forgets the batches of this judge, except those whose results the server did not give. */
  async forget(): Promise<void> {
    const kept = this.#known.filter((one) => !this.#isOwn(one) || this.#unread.has(one.id))
    this.#known.splice(0, this.#known.length, ...kept)
    if (kept.length > 0) await this.#write()
    else for (const file of [this.#request.file, signaturePath(this.#request.file)]) await rm(file, { force: true })
  }

  #isOwn({ engine, base_url: url }: Remembered): boolean {
    return engine === this.#request.engine && url === this.#request.baseUrl
  }

  #write(): Promise<void> {
    const value = { schema_version: 1 as const, batches: this.#known }
    return writeSigned(judgeBatches, { file: this.#request.file }, { value, signer: findSigner(this.#context.env) })
  }

  #resultsOf(batch: Remembered, signal: AbortSignal): Promise<ReadonlyMap<string, BatchResult>> {
    const known = this.#results.get(batch.id) ?? this.#waitFor(batch, signal)
    this.#results.set(batch.id, known)
    return known
  }

  async #waitFor(batch: Remembered, signal: AbortSignal): Promise<ReadonlyMap<string, BatchResult>> {
    const { client, pollMs } = this.#request
    let said: number | null = null
    const say = (done: number, ended: boolean) => {
      if (done === said && !ended) return
      said = done
      this.#context.emit({ type: 'judge_batch', batch: batch.id, done, total: batch.items.length, ended })
    }
    say(0, false)
    for (let pause = pollMs.first; ; pause = Math.min(pollMs.most, pause * 1.5)) {
      const status = await persist(() => client.status(batch.id, signal), signal)
      if (!status.ok) return await this.#giveUp(batch, status)
      say(status.value.done, status.value.hasEnded)
      if (status.value.hasEnded) break
      await sleep(pause, undefined, { signal })
    }
    const results = await persist(() => client.results(batch.id, signal), signal)
    return results.ok ? results.value : await this.#giveUp(batch, results)
  }

  /** A batch that the server no longer has is forgotten, so that its requests are sent again. */
  async #giveUp(batch: Remembered, { error, isGone }: Extract<BatchReply<unknown>, { ok: false }>) {
    if (!isGone) this.#unread.add(batch.id)
    else {
      this.#known.splice(this.#known.indexOf(batch), 1)
      await this.#write()
    }
    return sameForAll(batch.items, { ...error, retryable: isGone })
  }
}

/** Repeats a call that failed temporarily. */
async function persist<T>(call: () => Promise<BatchReply<T>>, signal: AbortSignal): Promise<BatchReply<T>> {
  for (let failures = 1; ; failures += 1) {
    const reply = await call()
    if (reply.ok || !reply.error.retryable || failures >= maxFailures) return reply
    await sleep(Math.min(60_000, reply.error.retryAfterMs ?? 500 * 2 ** failures), undefined, { signal })
  }
}

function sameForAll(ids: readonly string[], error: EngineError): ReadonlyMap<string, BatchResult> {
  return new Map(ids.map((id) => [id, { status: 'failed', error }]))
}

/** For an item that the provider's results lack. */
export const missingResult: BatchResult = {
  status: 'failed',
  error: {
    kind: 'server_error',
    message: 'the results of the batch lack this request',
    retryable: true,
    retryAfterMs: null,
  },
}
