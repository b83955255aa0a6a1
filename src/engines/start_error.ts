/** Why a program could not be started, as an engine's error. */
import type { FailureKind } from '../../schemas/run.ts'
import type { SpawnError } from '../base/spawn.ts'
import type { EngineError } from './engine.ts'

/** By errno code; whatever else it is, the system is short of something that may come back. */
const kinds: Readonly<Record<string, FailureKind>> = {
  ENOENT: 'missing_binary',
  EACCES: 'missing_binary',
  ENOTDIR: 'missing_binary',
  ENOEXEC: 'missing_binary',
  E2BIG: 'bad_request',
  ERR_INVALID_ARG_VALUE: 'bad_request',
}

/** `hint` follows the message where an argument could not be passed. */
export function startErrorOf(error: SpawnError, hint: string): EngineError {
  const kind = kinds[error.code ?? ''] ?? 'crash'
  const message = kind === 'bad_request' ? `${error.message}: ${hint}` : error.message
  return { kind, message, retryable: kind === 'crash', retryAfterMs: null }
}
