/** Maps runs to queues and workers: one queue for each engine, account and set of tags. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { jobVersion, type QueueNeeds } from '../../../schemas/queue_job.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { splitCloud } from '../../engines/clouds/table.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The account is hashed: no secret leaves this machine. */
export function resolveQueueNeeds(choice: EngineChoice, tags: readonly string[], env: Environment): QueueNeeds {
  const base_url = choice.base_url ?? null
  const sorted = [...new Set(tags)].sort()
  const { cloud } = splitCloud(choice.model)
  const place = { engine: choice.name, base_url, ...(cloud !== null && { cloud }) }
  return { ...place, account: accountHash(place, env), tags: sorted }
}

export function queueName(needs: QueueNeeds): string {
  return `runs-${sha256(canonicalJson([jobVersion, needs])).slice(0, 16)}`
}

/** null: the engine has no account, or no credential is set. */
function accountHash({ engine: name, base_url, cloud }: Omit<QueueNeeds, 'account' | 'tags'>, env: Environment) {
  const engine = findEngine(name)
  if (engine.account === undefined) return null
  const model = cloud === undefined ? null : `${cloud}:any`
  const choice = { model, ...(base_url !== null && { base_url }) }
  const account = engine.account.of(selectCredentials(engine, choice, env), model)
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
  return needs.account === null || needs.account === accountHash(needs, offer.env)
}

/** Whether a worker meets the needs except the account, which only the worker itself can check. */
export function hasCapabilities({ engines, tags }: Omit<WorkerOffer, 'env'>, needs: QueueNeeds): boolean {
  return engines.includes(needs.engine) && needs.tags.every((tag) => tags.includes(tag))
}
