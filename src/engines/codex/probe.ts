/** Whether Codex can work here: the program, its version, a key, and a server that takes it. */
import { versionOf } from '../cli_version.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findProgram } from '../find_program.ts'
import { codexEnvironment, codexKeys } from './argv.ts'
import { reachFailure } from './reach.ts'

const leastVersion = '0.150.0'
const update = 'codex update, or npm install -g @openai/codex'

type Failure = Extract<Probe, { ok: false }>

/** The program that is asked for, or `codex` on PATH; null: there is none. */
export function findCodex({ credentials, env }: Pick<ProbeRequest, 'credentials' | 'env'>): Promise<string | null> {
  return findProgram(credentials.WHETSTONE_CODEX || 'codex', env.PATH ?? '')
}

/** The message and the mending of a program that is not there. */
export function missingCodex({ WHETSTONE_CODEX: asked }: Readonly<Record<string, string>>): Failure {
  const message = asked ? `WHETSTONE_CODEX: ${asked}: no such program` : 'no codex on PATH'
  const fix = 'npm install -g @openai/codex, or name the program in WHETSTONE_CODEX'
  return { ok: false, kind: 'missing_binary', message, fix }
}

export async function probeCodex(request: ProbeRequest): Promise<Probe> {
  request.signal.throwIfAborted()
  const program = await findCodex(request)
  if (program === null) return missingCodex(request.credentials)
  const env = codexEnvironment({ env: request.env, credentials: {}, sessionId: 'probe' })
  const version = await versionOf({ program, env, leastVersion, update, signal: request.signal })
  if (typeof version !== 'string') return version
  const failure = keyFailure(request) ?? (await reachFailure(request))
  return failure ?? { ok: true, version, detail: `codex ${version} at ${program}` }
}

function keyFailure({ credentials }: ProbeRequest): Failure | null {
  if (codexKeys.some((name) => credentials[name])) return null
  const message = 'codex has no key: CODEX_API_KEY and OPENAI_API_KEY are both unset'
  const fix = 'export OPENAI_API_KEY=… (each run has its own home, so a login is not seen)'
  return { ok: false, kind: 'credentials', message, fix }
}
