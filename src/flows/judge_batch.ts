/** A judge that is asked in batches of its provider, at half the price: a feature opens them, by the judge's engine. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/errors/error.ts'
import { splitCloud } from '../engines/clouds/table.ts'
import type { Engine } from '../engines/engine.ts'
import type { FlowContext } from './flow_context.ts'

/** Gradings that may wait at once; each has its judge's folder and prompt in memory and on disk. */
export const batchWidth = 500

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
}

export type OpenJudgeBatch = (request: JudgeBatchRequest, context: FlowContext) => Promise<JudgeBatch>

const openers: Record<string, () => Promise<OpenJudgeBatch>> = {}

/** Adds those of features; again changes nothing. */
export function addJudgeBatches(more: Readonly<typeof openers>): void {
  Object.assign(openers, more)
}

/** Throws UserError if the judge has no batch API: a provider's own API has one, the clouds that offer its models have not. */
export function findBatchOpener({ name, model }: EngineChoice): () => Promise<OpenJudgeBatch> {
  const opener = Object.hasOwn(openers, name) && splitCloud(model).cloud === null ? openers[name] : undefined
  if (opener !== undefined) return opener
  const able = Object.keys(openers).map((one) => `${one}[:model]`)
  throw new UserError(
    `--judge-batch: the judge "${[name, model].filter(Boolean).join(':')}" has no batch API`,
    able.length === 0 ? 'drop --judge-batch' : `use --judge ${able.join(' or ')}, or drop --judge-batch`,
  )
}

/** Opens the batches of a benchmark's judge. Throws UserError if it has none. */
export async function openJudgeBatch(request: JudgeBatchRequest, context: FlowContext): Promise<JudgeBatch> {
  const open = await findBatchOpener(request.choice)()
  return await open(request, context)
}
