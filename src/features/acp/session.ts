/** One session with an agent over ACP: the protocol's steps, in their order, for several prompts, and the failures of a run by them. */
import type { ClientConnection, McpServer, Stream } from '@agentclientprotocol/sdk'
import * as z from 'zod'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toRunError } from '../../engines/cli/run_failure.ts'
import type { EngineError } from '../../engines/engine.ts'
import { classifyErrorText, kindOfStatus } from '../../engines/limits/error_text.ts'
import {
  type InitializeResult,
  initializeResult,
  type NewSessionResult,
  newSessionResult,
  type PermissionRequest,
  type PromptResult,
  permissionRequest,
  promptResult,
} from './records.ts'

/** The version of the protocol that is spoken here. */
const protocolVersion = 1

type AnswerPermission = (
  request: PermissionRequest,
) => { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }

/** An error of the protocol: the agent's answer to a request. */
export class AcpError extends Error {
  override readonly name = 'AcpError'
  readonly code: number
  readonly method: string
  constructor(method: string, { code, message }: { code: number; message: string }) {
    super(message)
    this.code = code
    this.method = method
  }
}

const requestError = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() })

export class AcpSession {
  readonly #connection: ClientConnection
  #id: string | null = null

  private constructor(connection: ClientConnection) {
    this.#connection = connection
  }

  /** Connects to an agent that runs. The library is loaded here, because most commands do not need it. */
  static async connect(stream: Stream, answer: AnswerPermission): Promise<AcpSession> {
    const { client } = await import('@agentclientprotocol/sdk')
    const app = client({ name: 'whetstone' }).onRequest(
      'session/request_permission',
      permissionRequest,
      ({ params }) => ({
        outcome: answer(params),
      }),
    )
    return new AcpSession(app.connect(stream))
  }

  /** Whetstone offers no file system and no terminal: the agent uses its own, inside the sandbox. */
  initialize(): Promise<InitializeResult> {
    return this.request(initializeResult, 'initialize', {
      protocolVersion,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'whetstone', version: '1' },
    })
  }

  /** Opens the session in a folder, absolute. */
  async start(cwd: string, mcpServers: readonly McpServer[]): Promise<NewSessionResult> {
    const started = await this.request(newSessionResult, 'session/new', { cwd, mcpServers })
    this.#id = started.sessionId
    return started
  }

  /** Sends a prompt, and waits for the end of the turn. All updates of the turn have been read by then. */
  prompt(text: string): Promise<PromptResult> {
    return this.inSession(promptResult, 'session/prompt', { prompt: [{ type: 'text', text }] })
  }

  /** Asks the agent to end its turn; its prompt then ends as `cancelled`. */
  async cancel(): Promise<void> {
    if (this.#id !== null) await this.#connection.agent.notify('session/cancel', { sessionId: this.#id })
  }

  /** A request about this session. */
  inSession<T>(schema: z.ZodType<T>, method: string, params: object): Promise<T> {
    return this.request(schema, method, { sessionId: this.#id, ...params })
  }

  /** Sends a request. Rejects with AcpError if the agent answers with an error, with a ZodError for an answer that does not fit. */
  async request<T>(schema: z.ZodType<T>, method: string, params: object): Promise<T> {
    const answer = await this.#connection.agent.request<unknown>(method, params).catch((error: unknown) => {
      const known = requestError.safeParse(error)
      if (!known.success) throw error
      const { code, message, data } = known.data
      throw new AcpError(method, { code, message: [message, detail(data)].filter(Boolean).join(': ') })
    })
    return schema.parse(answer)
  }
}

/** What an error says besides its message, such as "Internal error". */
function detail(data: unknown): string {
  if (data === undefined || data === null) return ''
  const inner = z.looseObject({ details: z.string() }).safeParse(data)
  const text = inner.success ? inner.data.details : typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return text === '{}' ? '' : text.slice(0, 1000)
}

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
