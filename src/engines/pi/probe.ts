/** Checks whether pi can run here: the program, its version, a model, a key. */
import { type AgentCli, probeCli } from '../cli/agent_cli.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { chooseProviderModel, missingProviderKey } from '../models/provider_model.ts'
import { piEnvironment } from './argv.ts'

export const piCli: AgentCli = {
  name: 'pi',
  variable: 'WHETSTONE_PI',
  package: '@mariozechner/pi-coding-agent',
  leastVersion: '0.73.0',
  update: 'pi update self',
}

/** Checks the model's name, `pi --version` and the key; no server is asked. Rejects only when aborted. */
export async function probePi(request: ProbeRequest): Promise<Probe> {
  const model = chooseProviderModel('pi', request.model, request.credentials)
  if ('mistake' in model) {
    return { ok: false, kind: 'bad_request', message: model.mistake, fix: 'pass anthropic/MODEL or openai/MODEL' }
  }
  return probeCli(piCli, request, {
    env: piEnvironment({ env: request.env, credentials: {}, sessionId: 'probe', model: null }),
    model: `${model.provider}/${model.id}`,
    failure: async () => missingProviderKey('pi', model, request),
  })
}
