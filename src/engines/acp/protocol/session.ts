/** One session with an agent over ACP: the protocol's steps, in their order. Knows nothing of runs, and takes several prompts. */
import type { ClientConnection, McpServer, Stream } from '@agentclientprotocol/sdk'
import * as z from 'zod'
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
export const protocolVersion = 1

/** Answers a request for permission. */
export type AnswerPermission = (
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

  /** The session's id, after `start`. */
  get id(): string | null {
    return this.#id
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

  close(): void {
    this.#connection.close()
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
