/** Checks whether Codex can run here: the program, its version, a key, and a server that accepts it. */
import { type AgentCli, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { codexEnvironment, codexKeys } from './argv.ts'
import { probeCodexServer } from './probe_server.ts'

export const codexCli: AgentCli = {
  name: 'codex',
  variable: 'WHETSTONE_CODEX',
  package: '@openai/codex',
  leastVersion: '0.150.0',
  update: 'codex update',
}

/** Checks `codex --version` and the key, then asks the server. Rejects only when aborted. */
export function probeCodex(request: ProbeRequest): Promise<Probe> {
  const env = codexEnvironment({ env: request.env, credentials: {}, sessionId: 'probe' })
  const failure = async () => keyFailure(request) ?? (await probeCodexServer(request))
  return probeCli(codexCli, request, { env, failure })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (codexKeys.some((name) => credentials[name])) return null
  const message = 'codex has no key: CODEX_API_KEY and OPENAI_API_KEY are both unset'
  const fix = 'export OPENAI_API_KEY=… (each run has its own home, so a login is not seen)'
  return { ok: false, kind: 'credentials', message, fix }
}
