/** Maps runs to queues and workers: one queue for each engine, account and set of tags. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { jobVersion, type QueueNeeds } from '../../../schemas/queue_job.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The account is hashed: no secret leaves this machine. */
export function resolveQueueNeeds(choice: EngineChoice, tags: readonly string[], env: Environment): QueueNeeds {
  const base_url = choice.base_url ?? null
  const sorted = [...new Set(tags)].sort()
  return { engine: choice.name, account: accountHash(choice.name, base_url, env), base_url, tags: sorted }
}

export function queueName(needs: QueueNeeds): string {
  return `runs-${sha256(canonicalJson([jobVersion, needs])).slice(0, 16)}`
}

/** null: the engine has no account, or no credential is set. */
function accountHash(name: string, chosen: string | null, env: Environment): string | null {
  const engine = findEngine(name)
  if (engine.account === undefined) return null
  const choice = chosen === null ? {} : { base_url: chosen }
  const account = engine.account.of(selectCredentials(engine, choice, env))
  const baseUrl = account.baseUrl.replace(/\/+$/, '')
  return account.secret === '' ? null : sha256(canonicalJson({ ...account, baseUrl })).slice(0, 16)
}

export interface WorkerOffer {
  engines: readonly string[]
  tags: readonly string[]
  env: Environment
}

/** Whether a worker with this offer may take from a queue. A queue for another job version has a different name. */
export function canServeQueue(offer: WorkerOffer, { queue, needs }: { queue: string; needs: QueueNeeds }): boolean {
  if (queue !== queueName(needs) || !hasCapabilities(offer, needs)) return false
  return needs.account === null || needs.account === accountHash(needs.engine, needs.base_url, offer.env)
}

/** Whether a worker meets the needs except the account, which only the worker itself can check. */
export function hasCapabilities({ engines, tags }: Omit<WorkerOffer, 'env'>, needs: QueueNeeds): boolean {
  return engines.includes(needs.engine) && needs.tags.every((tag) => tags.includes(tag))
}
