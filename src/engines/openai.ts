/** The OpenAI engine: the official SDK with a tool loop of our own in the run's folder. */
import { openaiAccount } from './account.ts'
import type { Engine, Probe, ProbeRequest } from './engine.ts'
import { toolLoopHonours } from './hooks/honours.ts'
import { openaiModel } from './providers.ts'

const skillsFolder = '.claude/skills'

export const openai: Engine = {
  name: 'openai',
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  address: 'OPENAI_BASE_URL',
  readsAbove: false,
  skillsFolder,
  honours: toolLoopHonours,
  account: { slots: 'requests', of: openaiAccount },
  probe,
  async reports(model) {
    const { isPriced } = await import('./cost.ts')
    const priced = { model: openaiModel(model), provider: 'openai' }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  // the SDK is loaded when it is needed: commands that start no engine stay quick
  async run(task, context) {
    const [{ runLoop }, { openaiApi }] = await Promise.all([import('./tool_loop/loop.ts'), import('./openai/api.ts')])
    return runLoop({ task, context, api: openaiApi, skillsFolder })
  },
}

async function probe(request: ProbeRequest): Promise<Probe> {
  const { model, credentials, signal } = request
  signal.throwIfAborted()
  if (!credentials.OPENAI_API_KEY) {
    const fix = 'export OPENAI_API_KEY=… (a key from platform.openai.com; any word for a local server)'
    return { ok: false, kind: 'credentials', message: 'OPENAI_API_KEY is not set', fix }
  }
  const [{ baseUrlOf }, { reachFailure }] = await Promise.all([
    import('./openai/address.ts'),
    import('./openai/reach.ts'),
  ])
  const asked = openaiModel(model)
  const failure = await reachFailure(request, asked)
  if (failure !== null) return failure
  const { VERSION } = await import('openai/version')
  return { ok: true, version: VERSION, detail: `openai ${asked} at ${baseUrlOf(credentials)}` }
}
