/** Checks whether Claude Code can run here: the program, its version, a key, and a server that accepts it. */
import { probeCloudServer } from '../anthropic/probe_cloud_server.ts'
import { type AgentCli, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import { splitCloud } from '../clouds/table.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { anthropicModel } from '../models/providers.ts'
import { claudeEnvironment } from './argv.ts'

export const claudeCli: AgentCli = {
  name: 'claude',
  variable: 'WHETSTONE_CLAUDE',
  package: '@anthropic-ai/claude-code',
  leastVersion: '2.1.0',
  update: 'claude update',
}

/** Checks `claude --version` and the key, then asks the server. Rejects only when aborted. */
export function probeClaude(request: ProbeRequest): Promise<Probe> {
  const env = claudeEnvironment({ env: request.env, credentials: {}, model: null })
  const { cloud, model } = splitCloud(anthropicModel(request.model))
  if (cloud !== null) {
    const { credentials, signal } = request
    const failure = () => probeCloudServer({ cloud, model: model ?? '', credentials, signal })
    return probeCli(claudeCli, request, { env, failure })
  }
  const failure = async () => keyFailure(request) ?? (await serverFailure(request))
  return probeCli(claudeCli, request, { env, failure })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN || credentials.CLAUDE_CODE_OAUTH_TOKEN)
    return null
  const message = 'claude has no key: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and CLAUDE_CODE_OAUTH_TOKEN are all unset'
  const fix =
    'export ANTHROPIC_API_KEY=…, or CLAUDE_CODE_OAUTH_TOKEN=… from `claude setup-token` (each run has its own home, so a login is not seen)'
  return { ok: false, kind: 'credentials', message, fix }
}

/** Asks the server only if the key is one that the API itself accepts. */
async function serverFailure({ credentials, model, signal }: ProbeRequest): Promise<ProbeFailure | null> {
  if (!credentials.ANTHROPIC_API_KEY && !credentials.ANTHROPIC_AUTH_TOKEN) return null
  const { probeAnthropicServer } = await import('../anthropic/probe_server.ts')
  const isFullId = model?.startsWith('claude-') ?? false
  return probeAnthropicServer({
    credentials,
    model: anthropicModel(model),
    checkModel: isFullId,
    keyHeader: 'x-api-key',
    signal,
  })
}
