/** Whether Claude Code can work here: the program, its version, a key, and a server that takes it. */
import { messageOf } from '../../base/error.ts'
import { runProcess } from '../../base/spawn.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findProgram } from '../find_program.ts'
import { anthropicModel } from '../providers.ts'
import { claudeEnvironment } from './argv.ts'

const leastVersion = [2, 1, 0] as const
const patienceMs = 20_000

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
  const version = await versionOf(program, request)
  if (typeof version !== 'string') return version
  const failure = keyFailure(request) ?? (await serverFailure(request))
  return failure ?? { ok: true, version, detail: `claude ${version} at ${program}` }
}

async function versionOf(program: string, request: ProbeRequest): Promise<string | Failure> {
  const fix = `run ${program} --version to see; ${leastVersion.join('.')} or later is needed`
  try {
    const end = await runProcess({
      command: program,
      args: ['--version'],
      cwd: request.env.HOME ?? '/',
      env: claudeEnvironment({ env: request.env, credentials: {} }),
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(patienceMs)]),
      stdoutLimit: 10_000,
    })
    const version = /\d+\.\d+\.\d+/.exec(end.stdout)?.[0]
    if (version === undefined || end.exitCode !== 0) {
      const said = `${end.stdout} ${end.stderrTail}`.trim().slice(0, 300)
      return { ok: false, kind: 'missing_binary', message: `${program} --version gave no version: ${said}`, fix }
    }
    if (isEnough(version)) return version
    const message = `${program} is version ${version}; ${leastVersion.join('.')} or later is needed`
    return {
      ok: false,
      kind: 'missing_binary',
      message,
      fix: 'claude update, or npm install -g @anthropic-ai/claude-code',
    }
  } catch (error) {
    request.signal.throwIfAborted()
    return { ok: false, kind: 'missing_binary', message: `${program} does not start: ${messageOf(error)}`, fix }
  }
}

function isEnough(version: string): boolean {
  const found = version.split('.').map(Number)
  for (const [index, least] of leastVersion.entries()) {
    const difference = (found[index] ?? 0) - least
    if (difference !== 0) return difference > 0
  }
  return true
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
