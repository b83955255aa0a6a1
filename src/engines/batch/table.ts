/** The engines whose provider has a batch API. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { splitCloud } from '../clouds/table.ts'
import type { BatchApi } from './batch_api.ts'

// an SDK is loaded only when needed
const apis: Readonly<Record<string, () => Promise<BatchApi>>> = {
  anthropic: async () => (await import('../anthropic/batch.ts')).anthropicBatches,
  openai: async () => (await import('../openai/batch.ts')).openaiBatches,
}

/** Only the provider's own API has batches, not the clouds that offer its models. */
export function hasBatchApi({ name, model }: Pick<EngineChoice, 'name' | 'model'>): boolean {
  return Object.hasOwn(apis, name) && splitCloud(model).cloud === null
}

/** null: the engine has none. */
export async function loadBatchApi(choice: Pick<EngineChoice, 'name' | 'model'>): Promise<BatchApi | null> {
  return hasBatchApi(choice) ? ((await apis[choice.name]?.()) ?? null) : null
}
