/** The errors with which a run of an agent CLI fails, or can't be started. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { ProcessEnd, SpawnError } from '../../base/process/spawn.ts'
import type { EngineError } from '../engine.ts'
import { isRetryableKind } from '../limits/error_text.ts'
import { parseResetMs } from '../limits/rate_headers.ts'
import type { OtherLines } from './json_line.ts'

/** An error that the CLI or its provider reported. */
export function toRunError(kind: FailureKind, message: string): EngineError {
  const retryAfterMs = kind === 'rate_limited' ? parseResetMs(message) : null
  return { kind, message, retryable: isRetryableKind(kind), retryAfterMs }
}

/** What is known of a process that ended without an answer. */
export interface SilentEnd {
  /** null: Whetstone ended it. */
  end: ProcessEnd | null
  others: OtherLines
  /** The last error that the CLI reported or logged. */
  lastError?: string | null
}

/** The error of a process that ended without an answer; `what` says so, such as `pi gave no answer`. */
export function silentEndError(what: string, { end, others, lastError }: SilentEnd): EngineError {
  const how =
    end !== null && end.exitCode !== null ? `exit code ${end.exitCode}` : `ended by ${end?.signal ?? 'Whetstone'}`
  const unreadable = others.unreadable && `last unreadable line: ${others.unreadable.slice(0, 300)}`
  const message = [`${what} (${how})`, lastError, end?.stderrTail.trim(), unreadable].filter(Boolean).join(': ')
  return toRunError(end?.exitCode === 0 ? 'bad_output' : 'crash', message)
}

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
