/** Checks whether Copilot can run here: the program, its version, a model, a key. */
import { type AgentCli, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { type CopilotModel, copilotKeyName, copilotModel, copilotModelName } from './model.ts'
import { copilotCache } from './unpacked.ts'

export const copilotCli: AgentCli = {
  name: 'copilot',
  variable: 'WHETSTONE_COPILOT',
  package: '@github/copilot',
  leastVersion: '1.0.102',
  update: 'copilot update',
}

/** Checks the model's name, `copilot --version` and the key; no server is asked. Rejects only when aborted. */
export async function probeCopilot(request: ProbeRequest): Promise<Probe> {
  const model = copilotModel(request.model, request.credentials)
  if ('mistake' in model) {
    const fix = 'pass anthropic/MODEL, openai/MODEL or github/MODEL'
    return { ok: false, kind: 'bad_request', message: model.mistake, fix }
  }
  return probeCli(copilotCli, request, {
    // its first start unpacks it into the user's cache folder, where the runs find it
    env: { ...request.env, COPILOT_CACHE_HOME: copilotCache(request.credentials), COPILOT_AUTO_UPDATE: 'false' },
    model: copilotModelName(model),
    failure: async () => keyFailure(model, request),
  })
}

function keyFailure(model: CopilotModel, { credentials }: ProbeRequest): ProbeFailure | null {
  const key = copilotKeyName(model)
  if (credentials[key]) return null
  const message = `copilot has no key for ${copilotModelName(model)}: ${key} is unset`
  return { ok: false, kind: 'credentials', message, fix: `export ${key}=…, or name a model of another provider` }
}
