/** Collects the judge's requests of many gradings, and submits them as a batch when every grading waits for an answer. */
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import type { BatchItem, BatchResult } from '../../engines/batch/batch_api.ts'
import { batchEngine } from '../../engines/batch/batched_engine.ts'
import { hasBatchApi, loadBatchApi } from '../../engines/batch/table.ts'
import type { Engine } from '../../engines/engine.ts'
import { createLimitedFetch } from '../../engines/limits/rate_limited_fetch.ts'
import { openRateLimiter } from '../../engines/limits/rate_limiter.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import { BatchWaits, missingResult } from './batch_waits.ts'

/** Gradings that may wait at once; each has its judge's folder and prompt in memory and on disk. */
export const batchWidth = 500

/** The most items and characters of one batch; the providers' limits are higher. */
const batchLimits = { items: 10_000, characters: 50_000_000 }

const usualPollMs = { first: 5000, most: 60_000 }

export interface JudgeBatch {
  /** The judge's engine, which answers in batches. */
  engine: Engine
  /** Runs a grading that may wait for an answer. While one does something else, no batch is submitted. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** Aborted by a request to end soon too: the batch goes on at the provider, and a later call waits for it. */
  signal: AbortSignal
  /** Whether this is the reason why `signal` was aborted. */
  isInterruption(error: unknown): boolean
  /** Call when everything is graded. */
  finish(): Promise<void>
}

export interface JudgeBatchRequest {
  folder: string
  choice: EngineChoice
  /** Absent: 5 s, growing to 60 s. */
  pollMs?: { first: number; most: number } | undefined
}

/** Throws UserError if the judge's provider has no batch API. */
export function assertBatchJudge(judge: Plan['options']['judge']): void {
  if (judge === null || hasBatchApi(judge)) return
  throw new UserError(
    `--judge-batch: the judge "${[judge.name, judge.model].filter(Boolean).join(':')}" has no batch API`,
    'use --judge anthropic[:model] or openai[:model], or drop --judge-batch',
  )
}

/** Opens the batches of a benchmark's judge. null: the plan has no judge. */
export async function openJudgeBatch(
  { folder, choice, pollMs = usualPollMs }: JudgeBatchRequest,
  context: FlowContext,
): Promise<JudgeBatch> {
  assertBatchJudge(choice)
  const engine = findEngine(choice.name)
  const api = await loadBatchApi(choice)
  if (api === null) throw new Error(`${choice.name} has no batch API`)
  const send = createLimitedFetch(openRateLimiter(null))
  const client = api.open(selectCredentials(engine, choice, context.env), send)
  const signal = AbortSignal.any([context.signal, context.drain])
  const baseUrl = choice.base_url ?? null
  const file = benchmarkPaths(folder).judgeBatches
  const waits = await BatchWaits.open({ client, file, engine: choice.name, baseUrl, pollMs }, context)
  const collector = new BatchCollector(waits, signal)
  return {
    engine: batchEngine(engine, api, (body) => collector.ask(body)),
    track: (work) => collector.track(work),
    signal,
    isInterruption: (error) => signal.aborted && error === signal.reason,
    finish: () => waits.forget(),
  }
}

interface WaitingItem extends BatchItem {
  resolve: (result: BatchResult) => void
  reject: (reason: unknown) => void
}

class BatchCollector {
  readonly #waits: BatchWaits
  readonly #signal: AbortSignal
  /** How often each request was made: equal requests need answers of their own. */
  readonly #made = new Map<string, number>()
  readonly #waiting: WaitingItem[] = []
  /** Gradings at work, and how many of their requests wait for an answer. */
  #active = 0
  #asking = 0

  constructor(waits: BatchWaits, signal: AbortSignal) {
    this.#waits = waits
    this.#signal = signal
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
    this.#signal.throwIfAborted()
    const id = this.#nextId(body)
    this.#asking += 1
    const earlier = this.#waits.recall(id, this.#signal)
    return new Promise((resolve, reject) => {
      const item = { id, body, resolve, reject }
      if (earlier === null) this.#waiting.push(item)
      else void this.#answer([item], earlier)
      this.#submitIfAllWait()
    })
  }

  #nextId(body: BatchItem['body']): string {
    const key = sha256(canonicalJson(body)).slice(0, 40)
    const number = (this.#made.get(key) ?? 0) + 1
    this.#made.set(key, number)
    return `${key}-${number}`
  }

  #submitIfAllWait(): void {
    if (this.#waiting.length === 0 || this.#asking < this.#active) return
    for (const part of splitBatch(this.#waiting.splice(0))) {
      const items = part.map(({ id, body }) => ({ id, body }))
      void this.#answer(part, this.#waits.submit(items, this.#signal))
    }
  }

  async #answer(items: readonly WaitingItem[], awaited: Promise<ReadonlyMap<string, BatchResult>>): Promise<void> {
    try {
      const results = await awaited
      this.#settle(items, ({ id, resolve }) => resolve(results.get(id) ?? missingResult))
    } catch (error) {
      this.#settle(items, ({ reject }) => reject(error))
    }
  }

  /** None of them waits any more before the first goes on, which may ask again. */
  #settle(items: readonly WaitingItem[], end: (item: WaitingItem) => void): void {
    this.#asking -= items.length
    items.forEach(end)
  }
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
