/** The engines whose provider has a batch API. */
import type { BatchApi } from './batch_api.ts'

// an SDK is loaded only when needed
const apis: Readonly<Record<string, () => Promise<BatchApi>>> = {
  anthropic: async () => (await import('../anthropic/batch.ts')).anthropicBatches,
  openai: async () => (await import('../openai/batch.ts')).openaiBatches,
}

export function hasBatchApi(engine: string): boolean {
  return Object.hasOwn(apis, engine)
}

/** null: the engine has none. */
export async function loadBatchApi(engine: string): Promise<BatchApi | null> {
  return hasBatchApi(engine) ? ((await apis[engine]?.()) ?? null) : null
}
