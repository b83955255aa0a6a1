/** The batches of a benchmark's judge: collects its requests until every grading waits for an answer, submits them, and waits. */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JudgeBatches, judgeBatches } from '../../../schemas/judge_batches.ts'
import { canonicalJson, readJson, sha256 } from '../../base/json/json.ts'
import { withRetry } from '../../base/time/retry.ts'
import type { EngineError } from '../../engines/engine.ts'
import { createLimitedFetch } from '../../engines/limits/rate_limited_fetch.ts'
import { openRateLimiter } from '../../engines/limits/rate_limiter.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { JudgeBatch, JudgeBatchRequest } from '../../flows/judge_batch.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { findSigner, isSignedFile, signaturePath, writeSigned } from '../../store/signing/signer.ts'
import {
  type BatchApi,
  type BatchClient,
  type BatchItem,
  type BatchReply,
  type BatchResult,
  batchEngine,
  failItem,
} from './batch_api.ts'

/** The most items and characters of one batch; the providers' limits are higher. */
const batchLimits = { items: 10_000, characters: 50_000_000 }

const usualPollMs = { first: 5000, most: 60_000 }

/** Opens the batches of a benchmark's judge. `pollMs`: how often to look at one; tests look more often. */
export async function openBatches(
  api: BatchApi,
  { folder, choice, pollMs = usualPollMs }: JudgeBatchRequest & { pollMs?: typeof usualPollMs },
  context: FlowContext,
): Promise<JudgeBatch> {
  const engine = findEngine(choice.name)
  const send = createLimitedFetch(openRateLimiter(null))
  const signal = AbortSignal.any([context.signal, context.drain])
  const file = benchmarkPaths(folder).judgeBatches
  const known = isSignedFile(file, findSigner(context.env)) ? (await readJson(judgeBatches, file)).batches : []
  const collector = new BatchCollector({
    client: api.open(selectCredentials(engine, choice, context.env), send),
    file,
    known,
    owner: { engine: choice.name, base_url: choice.base_url ?? null },
    pollMs,
    context,
    signal,
  })
  return {
    engine: batchEngine(engine, api, (body) => collector.ask(body)),
    track: (work) => collector.track(work),
    signal,
    isInterruption: (error) => signal.aborted && error === signal.reason,
    finish: () => collector.forget(),
  }
}

type StoredBatch = JudgeBatches['batches'][number]

type BatchAnswers = (id: string) => BatchResult

interface WaitingItem extends BatchItem {
  resolve: (result: BatchResult) => void
  reject: (reason: unknown) => void
}

interface CollectorRequest {
  client: BatchClient
  /** judge_batches.json of the benchmark, and its batches so far. */
  file: string
  known: StoredBatch[]
  owner: Pick<StoredBatch, 'engine' | 'base_url'>
  /** Milliseconds between two looks at a batch: at first, and at most. */
  pollMs: { first: number; most: number }
  context: FlowContext
  signal: AbortSignal
}

class BatchCollector {
  readonly #request: CollectorRequest
  #known: StoredBatch[]
  /** Ids of batches whose results could not be read. */
  readonly #unread = new Set<string>()
  readonly #answers = new Map<string, Promise<BatchAnswers>>()
  /** How often each request was made: equal requests need answers of their own. */
  readonly #made = new Map<string, number>()
  readonly #waiting: WaitingItem[] = []
  /** Gradings at work, and how many of their requests wait for an answer. */
  #active = 0
  #asking = 0

  constructor(request: CollectorRequest) {
    this.#request = request
    this.#known = request.known
    const { signal } = request
    signal.addEventListener('abort', () => this.#settle(this.#waiting.splice(0), ({ reject }) => reject(signal.reason)))
  }

  async track<T>(work: () => Promise<T>): Promise<T> {
    this.#active += 1
    try {
      return await work()
    } finally {
      this.#active -= 1
      this.#submitIfAllWait()
    }
  }

  ask(body: BatchItem['body']): Promise<BatchResult> {
    this.#request.signal.throwIfAborted()
    const id = this.#nextId(body)
    this.#asking += 1
    const earlier = this.#known.find((one) => this.#isOwn(one) && one.items.includes(id))
    return new Promise((resolve, reject) => {
      const item = { id, body, resolve, reject }
      if (earlier === undefined) this.#waiting.push(item)
      else void this.#answer([item], this.#answersOf(earlier))
      this.#submitIfAllWait()
    })
  }

  /** Everything is graded: forgets the batches of this judge, except those whose results the server did not give. */
  async forget(): Promise<void> {
    const { file } = this.#request
    this.#known = this.#known.filter((one) => !this.#isOwn(one) || this.#unread.has(one.id))
    if (this.#known.length > 0) await this.#write()
    else for (const one of [file, signaturePath(file)]) await rm(one, { force: true })
  }

  #isOwn({ engine, base_url }: StoredBatch): boolean {
    const { owner } = this.#request
    return engine === owner.engine && base_url === owner.base_url
  }

  #nextId(body: BatchItem['body']): string {
    const key = sha256(canonicalJson(body)).slice(0, 40)
    const number = (this.#made.get(key) ?? 0) + 1
    this.#made.set(key, number)
    return `${key}-${number}`
  }

  #submitIfAllWait(): void {
    if (this.#waiting.length === 0 || this.#asking < this.#active) return
    for (const items of splitBatch(this.#waiting.splice(0))) void this.#answer(items, this.#submit(items))
  }

  async #answer(items: readonly WaitingItem[], awaited: Promise<BatchAnswers>): Promise<void> {
    try {
      const answers = await awaited
      this.#settle(items, ({ id, resolve }) => resolve(answers(id)))
    } catch (error) {
      this.#settle(items, ({ reject }) => reject(error))
    }
  }

  /** None of them waits any more before the first goes on, which may ask again. */
  #settle(items: readonly WaitingItem[], end: (item: WaitingItem) => void): void {
    this.#asking -= items.length
    items.forEach(end)
  }

  /** Remembers the batch on disk before it waits. Rejects only when aborted. */
  async #submit(waiting: readonly WaitingItem[]): Promise<BatchAnswers> {
    const { client, owner, context, signal } = this.#request
    const items = waiting.map(({ id, body }) => ({ id, body }))
    const created = await this.#call(() => client.create(items, signal))
    if (!created.ok) return failAll(created.error)
    const created_at = context.now().toISOString()
    const batch = { ...owner, id: created.value, created_at, items: items.map(({ id }) => id) }
    this.#known.push(batch)
    await this.#write()
    return await this.#answersOf(batch)
  }

  #answersOf(batch: StoredBatch): Promise<BatchAnswers> {
    const answers = this.#answers.get(batch.id) ?? this.#waitFor(batch)
    this.#answers.set(batch.id, answers)
    return answers
  }

  async #waitFor(batch: StoredBatch): Promise<BatchAnswers> {
    const { client, pollMs, context, signal } = this.#request
    let reported: number | null = null
    const report = (done: number, ended: boolean) => {
      if (done === reported && !ended) return
      reported = done
      context.emit({ type: 'judge_batch', batch: batch.id, done, total: batch.items.length, ended })
    }
    report(0, false)
    for (let pause = pollMs.first; ; pause = Math.min(pollMs.most, pause * 1.5)) {
      const status = await this.#call(() => client.status(batch.id, signal))
      if (!status.ok) return await this.#giveUp(batch, status)
      report(status.value.done, status.value.hasEnded)
      if (status.value.hasEnded) break
      await sleep(pause, undefined, { signal })
    }
    const results = await this.#call(() => client.results(batch.id, signal))
    if (!results.ok) return await this.#giveUp(batch, results)
    return (id) => results.value.get(id) ?? failItem('server_error', 'the results of the batch lack this request')
  }

  /** A batch that the server no longer has is forgotten, so that its requests are sent again. */
  async #giveUp(batch: StoredBatch, { error, isGone }: Extract<BatchReply<unknown>, { ok: false }>) {
    if (isGone) {
      this.#known = this.#known.filter((one) => one !== batch)
      await this.#write()
    } else this.#unread.add(batch.id)
    return failAll({ ...error, retryable: isGone })
  }

  /** Repeats a call that failed temporarily. */
  async #call<T>(call: () => Promise<BatchReply<T>>): Promise<BatchReply<T>> {
    const attempt = async () => {
      const reply = await call()
      return { reply, retry: reply.ok || !reply.error.retryable ? null : { afterMs: reply.error.retryAfterMs } }
    }
    return (await withRetry(attempt, { retries: 7, signal: this.#request.signal })).reply
  }

  #write(): Promise<void> {
    const { file, context } = this.#request
    const value = { schema_version: 1 as const, batches: this.#known }
    return writeSigned(judgeBatches, { file }, { value, signer: findSigner(context.env) })
  }
}

function failAll(error: EngineError): BatchAnswers {
  return () => ({ status: 'failed', error })
}

function splitBatch(items: readonly WaitingItem[]): WaitingItem[][] {
  const parts: WaitingItem[][] = []
  let room = 0
  for (const item of items) {
    const size = JSON.stringify(item.body).length
    const part = parts.at(-1)
    if (part === undefined || size > room || part.length >= batchLimits.items) {
      parts.push([item])
      room = batchLimits.characters - size
    } else {
      part.push(item)
      room -= size
    }
  }
  return parts
}
