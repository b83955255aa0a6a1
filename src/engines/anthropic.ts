/** The Anthropic engine: the official SDK with a tool loop of our own in the run's folder. */
import { anthropicAccount } from './account.ts'
import type { Engine, Probe, ProbeRequest } from './engine.ts'
import { toolLoopHonours } from './hooks/honours.ts'
import { anthropicModel } from './providers.ts'

const skillsFolder = '.claude/skills'

export const anthropic: Engine = {
  name: 'anthropic',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  address: 'ANTHROPIC_BASE_URL',
  readsAbove: false,
  skillsFolder,
  honours: toolLoopHonours,
  account: { slots: 'requests', of: anthropicAccount },
  probe,
  async reports(model) {
    const { isPriced } = await import('./cost.ts')
    const priced = { model: anthropicModel(model), provider: 'anthropic' }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  // the SDK is loaded when it is needed: commands that start no engine stay quick
  async run(task, context) {
    const [{ runLoop }, { anthropicApi }] = await Promise.all([
      import('./tool_loop/loop.ts'),
      import('./anthropic/api.ts'),
    ])
    return runLoop({ task, context, api: anthropicApi, skillsFolder })
  },
}

async function probe({ model, credentials, signal }: ProbeRequest): Promise<Probe> {
  signal.throwIfAborted()
  const { baseUrlOf, hasKey } = await import('./anthropic/address.ts')
  if (!hasKey(credentials)) {
    const message = 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set'
    const fix = 'export ANTHROPIC_API_KEY=… (a key from platform.claude.com; any word for a local server)'
    return { ok: false, kind: 'credentials', message, fix }
  }
  const { reachFailure } = await import('./anthropic/reach.ts')
  const asked = anthropicModel(model)
  const failure = await reachFailure({ credentials, model: asked, checkModel: true, signal })
  if (failure !== null) return failure
  const { VERSION } = await import('@anthropic-ai/sdk/version')
  return { ok: true, version: VERSION, detail: `anthropic ${asked} at ${baseUrlOf(credentials)}` }
}
