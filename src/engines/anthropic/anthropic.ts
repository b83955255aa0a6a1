/** The Anthropic engine: the official SDK with Whetstone's tool loop in the run's folder. */
import { splitCloud } from '../clouds/table.ts'
import type { Engine, Probe, ProbeRequest } from '../engine.ts'
import { anthropicAccount } from '../limits/account.ts'
import { anthropicEfforts } from '../models/effort_levels.ts'
import { anthropicModel } from '../models/providers.ts'
import { reportsOfSdk, sdkEngine } from '../tool_loop/sdk_settings.ts'

export const anthropic: Engine = {
  ...sdkEngine,
  name: 'anthropic',
  provider: 'anthropic',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  address: 'ANTHROPIC_BASE_URL',
  efforts: () => anthropicEfforts,
  account: { slots: 'requests', of: anthropicAccount },
  probe,
  reports: reportsOfSdk('anthropic', anthropicModel),
  // the SDK is loaded only when needed, so that commands without an engine stay fast
  async run(task, context) {
    const [{ runLoop }, { createAnthropicApi }] = await Promise.all([
      import('../tool_loop/loop.ts'),
      import('./api.ts'),
    ])
    return runLoop({ task, context, api: createAnthropicApi(task.model) })
  },
}

async function probe({ model, credentials, signal }: ProbeRequest): Promise<Probe> {
  signal.throwIfAborted()
  const { cloud } = splitCloud(model)
  if (cloud !== null)
    return (await import('./probe_cloud.ts')).probeAnthropicCloud({ cloud, model, credentials, signal })
  const { anthropicBaseUrl, hasAnthropicKey, probeAnthropicServer } = await import('./address.ts')
  if (!hasAnthropicKey(credentials)) {
    const message = 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set'
    const fix = 'export ANTHROPIC_API_KEY=… (a key from platform.claude.com; any word for a local server)'
    return { ok: false, kind: 'credentials', message, fix }
  }
  const asked = anthropicModel(model)
  const failure = await probeAnthropicServer({ credentials, model: asked, checkModel: true, signal })
  if (failure !== null) return failure
  const { VERSION } = await import('@anthropic-ai/sdk/version')
  return { ok: true, version: VERSION, detail: `anthropic ${asked} at ${anthropicBaseUrl(credentials)}` }
}
