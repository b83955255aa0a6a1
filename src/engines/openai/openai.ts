/** The OpenAI engine: the official SDK with Whetstone's tool loop in the run's folder. */
import { findCloud, splitCloud } from '../clouds/table.ts'
import type { Engine, Probe, ProbeRequest } from '../engine.ts'
import { openaiAccount } from '../limits/account.ts'
import { openaiEfforts } from '../models/effort_levels.ts'
import { openaiModel } from '../models/providers.ts'
import { reportsOfSdk, sdkEngine } from '../tool_loop/sdk_settings.ts'

export const openai: Engine = {
  ...sdkEngine,
  name: 'openai',
  provider: 'openai',
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  address: 'OPENAI_BASE_URL',
  efforts: () => openaiEfforts,
  account: { slots: 'requests', of: openaiAccount },
  probe,
  reports: reportsOfSdk('openai', openaiModel),
  // the SDK is loaded only when needed, so that commands without an engine stay fast
  async run(task, context) {
    const [{ runLoop }, { createOpenaiApi }] = await Promise.all([import('../tool_loop/loop.ts'), import('./api.ts')])
    return runLoop({ task, context, api: createOpenaiApi(task.model) })
  },
}

async function probe(request: ProbeRequest): Promise<Probe> {
  const { model, credentials, signal } = request
  signal.throwIfAborted()
  const { cloud } = splitCloud(model)
  if (cloud !== null) return await probeOnCloud(request, cloud)
  if (!credentials.OPENAI_API_KEY) {
    const fix = 'export OPENAI_API_KEY=… (a key from platform.openai.com; any word for a local server)'
    return { ok: false, kind: 'credentials', message: 'OPENAI_API_KEY is not set', fix }
  }
  const [{ openaiBaseUrl }, { probeOpenaiServer }] = await Promise.all([
    import('./address.ts'),
    import('./probe_server.ts'),
  ])
  const asked = openaiModel(model)
  const failure = await probeOpenaiServer(request, asked)
  if (failure !== null) return failure
  const { VERSION } = await import('openai/version')
  return { ok: true, version: VERSION, detail: `openai ${asked} at ${openaiBaseUrl(credentials)}` }
}

async function probeOnCloud({ model: asked, credentials, signal }: ProbeRequest, cloud: string): Promise<Probe> {
  const { probeCloudServer } = await import('../anthropic/probe_cloud.ts')
  const model = splitCloud(asked).model ?? ''
  const failure = await probeCloudServer({ cloud, model, credentials, signal })
  if (failure !== null) return failure
  const { VERSION } = await import('openai/version')
  const { title, server } = findCloud(cloud)
  return { ok: true, version: VERSION, detail: `openai ${model} on ${title} at ${server(credentials)}` }
}
