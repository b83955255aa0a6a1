/** Whether Claude Code can work here: the program, its version, a key, and a server that takes it. */
import { versionOf } from '../cli_version.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findProgram } from '../find_program.ts'
import { anthropicModel } from '../providers.ts'
import { claudeEnvironment } from './argv.ts'

const leastVersion = '2.1.0'
const update = 'claude update, or npm install -g @anthropic-ai/claude-code'

type Failure = Extract<Probe, { ok: false }>

/** The program that is asked for, or `claude` on PATH; null: there is none. */
export function findClaude({ credentials, env }: Pick<ProbeRequest, 'credentials' | 'env'>): Promise<string | null> {
  return findProgram(credentials.WHETSTONE_CLAUDE || 'claude', env.PATH ?? '')
}

/** The message and the mending of a program that is not there. */
export function missingClaude({ WHETSTONE_CLAUDE: asked }: Readonly<Record<string, string>>): Failure {
  const message = asked ? `WHETSTONE_CLAUDE: ${asked}: no such program` : 'no claude on PATH'
  const fix = 'npm install -g @anthropic-ai/claude-code, or name the program in WHETSTONE_CLAUDE'
  return { ok: false, kind: 'missing_binary', message, fix }
}

export async function probeClaude(request: ProbeRequest): Promise<Probe> {
  request.signal.throwIfAborted()
  const program = await findClaude(request)
  if (program === null) return missingClaude(request.credentials)
  const env = claudeEnvironment({ env: request.env, credentials: {} })
  const version = await versionOf({ program, env, leastVersion, update, signal: request.signal })
  if (typeof version !== 'string') return version
  const failure = keyFailure(request) ?? (await serverFailure(request))
  return failure ?? { ok: true, version, detail: `claude ${version} at ${program}` }
}

function keyFailure({ credentials }: ProbeRequest): Failure | null {
  if (credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN || credentials.CLAUDE_CODE_OAUTH_TOKEN)
    return null
  const message = 'claude has no key: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and CLAUDE_CODE_OAUTH_TOKEN are all unset'
  const fix =
    'export ANTHROPIC_API_KEY=…, or CLAUDE_CODE_OAUTH_TOKEN=… from `claude setup-token` (each run has its own home, so a login is not seen)'
  return { ok: false, kind: 'credentials', message, fix }
}

/** Asked only where the key is one that the API itself takes. */
async function serverFailure({ credentials, model, signal }: ProbeRequest): Promise<Failure | null> {
  if (!credentials.ANTHROPIC_API_KEY && !credentials.ANTHROPIC_AUTH_TOKEN) return null
  const { reachFailure } = await import('../anthropic/reach.ts')
  const isFullId = model?.startsWith('claude-') ?? false
  return reachFailure({
    credentials,
    model: anthropicModel(model),
    checkModel: isFullId,
    keyHeader: 'x-api-key',
    signal,
  })
}
