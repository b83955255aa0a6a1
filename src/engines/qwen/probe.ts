/** Checks whether Qwen Code can run here: the program, its version and its Node, a key, and a server that accepts it. */
import { type AgentCli, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { openaiModel } from '../models/providers.ts'
import { qwenEnvironment } from './argv.ts'

export const qwenCli: AgentCli = {
  name: 'qwen',
  variable: 'WHETSTONE_QWEN',
  package: '@qwen-code/qwen-code',
  leastVersion: '0.24.0',
  leastNode: 22,
  update: 'qwen update',
}

/** Checks `qwen --version` and the key, then asks the server. Rejects only when aborted. */
export function probeQwen(request: ProbeRequest): Promise<Probe> {
  const model = openaiModel(request.model)
  return probeCli(qwenCli, request, {
    env: qwenEnvironment({ env: request.env, credentials: {}, sessionId: 'probe' }),
    model: model,
    failure: async () => keyFailure(request) ?? (await serverFailure(request, model)),
  })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.OPENAI_API_KEY) return null
  const fix =
    'export OPENAI_API_KEY=… (any word for a local server; a login is not seen, because each run has its own home)'
  return { ok: false, kind: 'credentials', message: 'qwen has no key: OPENAI_API_KEY is unset', fix }
}

async function serverFailure(request: ProbeRequest, model: string): Promise<ProbeFailure | null> {
  const { probeOpenaiServer } = await import('../openai/probe_server.ts')
  return probeOpenaiServer(request, model)
}
