/** Which queue a run goes to, and which worker may take from it: one queue for each engine, account and set of tags. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { jobVersion, type QueueNeeds } from '../../../schemas/queue_job.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'
import { credentialsOf } from '../../engines/base_url.ts'
import { engineNamed } from '../../engines/table.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The account is a hash: nothing secret leaves this machine. */
export function needsOf(choice: EngineChoice, tags: readonly string[], env: Environment): QueueNeeds {
  const base_url = choice.base_url ?? null
  const sorted = [...new Set(tags)].sort()
  return { engine: choice.name, account: accountHash(choice.name, base_url, env), base_url, tags: sorted }
}

export function queueName(needs: QueueNeeds): string {
  return `runs-${sha256(canonicalJson([jobVersion, needs])).slice(0, 16)}`
}

/** null: the engine has no account, or no credential is set. */
function accountHash(name: string, chosen: string | null, env: Environment): string | null {
  const engine = engineNamed(name)
  if (engine.account === undefined) return null
  const choice = chosen === null ? {} : { base_url: chosen }
  const account = engine.account.of(credentialsOf(engine, choice, env))
  const baseUrl = account.baseUrl.replace(/\/+$/, '')
  return account.secret === '' ? null : sha256(canonicalJson({ ...account, baseUrl })).slice(0, 16)
}

export interface Offer {
  engines: readonly string[]
  tags: readonly string[]
  env: Environment
}

/** Whether a worker with this to offer may take from a queue. One that was made for jobs of another version has another name. */
export function meets(offer: Offer, { queue, needs }: { queue: string; needs: QueueNeeds }): boolean {
  if (queue !== queueName(needs) || !offers(offer, needs)) return false
  return needs.account === null || needs.account === accountHash(needs.engine, needs.base_url, offer.env)
}

/** Whether a worker has what is needed besides the account, which nobody else can know. */
export function offers({ engines, tags }: Omit<Offer, 'env'>, needs: QueueNeeds): boolean {
  return engines.includes(needs.engine) && needs.tags.every((tag) => tags.includes(tag))
}
