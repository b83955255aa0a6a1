/** Turns the error of a program that could not be started into an engine's error. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { SpawnError } from '../../base/process/spawn.ts'
import type { EngineError } from '../engine.ts'

/** Failure kinds by errno code; any other code means that the system lacks something that may come back. */
const kinds: Readonly<Record<string, FailureKind>> = {
  ENOENT: 'missing_binary',
  EACCES: 'missing_binary',
  ENOTDIR: 'missing_binary',
  ENOEXEC: 'missing_binary',
  E2BIG: 'bad_request',
  ERR_INVALID_ARG_VALUE: 'bad_request',
}

/** `hint` is added to the message if an argument could not be passed. */
export function toStartError(error: SpawnError, hint: string): EngineError {
  const kind = kinds[error.code ?? ''] ?? 'crash'
  const message = kind === 'bad_request' ? `${error.message}: ${hint}` : error.message
  return { kind, message, retryable: kind === 'crash', retryAfterMs: null }
}
