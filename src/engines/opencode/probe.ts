/** Checks whether opencode can run here: the program, its version, ripgrep, a model, a key. */
import { type AgentCli, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import { findProgram } from '../cli/find_program.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { chooseProviderModel, missingProviderKey } from '../models/provider_model.ts'
import { opencodeEnvironment } from './argv.ts'

export const opencodeCli: AgentCli = {
  name: 'opencode',
  variable: 'WHETSTONE_OPENCODE',
  package: 'opencode-ai',
  leastVersion: '1.18.0',
  update: 'opencode upgrade',
}

/** Checks the model's name, `opencode --version`, the key and ripgrep; no server is asked. Rejects only when aborted. */
export async function probeOpencode(request: ProbeRequest): Promise<Probe> {
  const model = chooseProviderModel('opencode', request.model, request.credentials)
  if ('mistake' in model) {
    return { ok: false, kind: 'bad_request', message: model.mistake, fix: 'pass anthropic/MODEL or openai/MODEL' }
  }
  return probeCli(opencodeCli, request, {
    env: opencodeEnvironment({ env: request.env, credentials: {}, sessionId: 'probe', model: null, tools: 'all' }),
    model: `${model.provider}/${model.id}`,
    failure: async () => missingProviderKey('opencode', model, request) ?? (await ripgrepFailure(request)),
  })
}

async function ripgrepFailure({ env }: ProbeRequest): Promise<ProbeFailure | null> {
  if ((await findProgram('rg', env.PATH ?? '')) !== null) return null
  const message = 'opencode needs ripgrep (rg) on PATH: without it each run would download its own'
  return { ok: false, kind: 'missing_binary', message, fix: 'apt-get install ripgrep, or brew install ripgrep' }
}
