/** Says why a run over ACP failed: by the agent's error, or by how its process ended. Pure. */
import type { ProcessEnd } from '../../../base/process/spawn.ts'
import { toRunError } from '../../cli/run_failure.ts'
import type { EngineError } from '../../engine.ts'
import { classifyErrorText, kindOfStatus } from '../../limits/error_text.ts'
import type { InitializeResult } from './records.ts'
import { type AcpError, protocolVersion } from './session.ts'

/** The protocol's own code for "authentication required". */
const loginCode = -32000

/** The failure of a request. Some agents use the status of the model's server as the code; otherwise the text tells. */
export function requestFailure({ code, message, method }: AcpError, login: string): EngineError {
  if (code === loginCode) return toRunError('credentials', `the agent asks for a login: ${message}${login}`)
  if (/\bAPI_KEY_INVALID\b/.test(message)) return toRunError('credentials', message) // Google's status for it is 400
  if (code >= 400 && code < 600) return toRunError(kindOfStatus(code), message)
  const kind = code === -32603 || method === 'session/prompt' ? classifyErrorText(message) : 'bad_request'
  return toRunError(kind, `${method}: ${message}`)
}

/** The ways in which the agent can be logged in, for a person. */
export function describeLogins({ authMethods }: Pick<InitializeResult, 'authMethods'>): string {
  const names = authMethods.map(({ id, name }) => name ?? id)
  return names.length === 0 ? '' : ` (it offers: ${names.join(', ')})`
}

/** The agent speaks another version; null: it speaks ours. */
export function versionFailure({ protocolVersion: version }: InitializeResult): EngineError | null {
  if (version === protocolVersion) return null
  const message = `the agent speaks version ${version} of ACP, and Whetstone version ${protocolVersion}`
  return toRunError('bad_request', message)
}

/** A program that ended before it spoke ACP, or in the middle of its work. `unreadable`: the last other line of its output. */
export function endFailure(
  { exitCode, signal, stderrTail }: Pick<ProcessEnd, 'exitCode' | 'signal' | 'stderrTail'>,
  { spoke, unreadable }: { spoke: boolean; unreadable: string | null },
): EngineError {
  const how = exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`
  const said = [stderrTail.trim().slice(-1000), unreadable?.slice(0, 300)].filter(Boolean).join(': ')
  const tail = said === '' ? '' : `: ${said}`
  if (spoke) return toRunError('crash', `the agent ended before its turn was over (${how})${tail}`)
  const error = toRunError('bad_output', `the program ended without speaking ACP (${how})${tail}`)
  return { ...error, retryable: false }
}
