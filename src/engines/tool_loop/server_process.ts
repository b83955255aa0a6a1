/** Starts an MCP server of the suite inside the run's sandbox, as a transport of the protocol's library. */
import type { Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { errorMessage } from '../../base/errors/error.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { runProcess } from '../../base/process/spawn.ts'
import type { SuiteServer } from '../environment/suite_servers.ts'
import type { ToolPlace } from './tools/tool.ts'

export type ServerProgram = Extract<SuiteServer, { type: 'stdio' }>

/** Bytes of one message, such as an answer with a picture; a longer one is lost, and its call gets no answer. */
const longestMessage = 64 * 1024 * 1024

/** Its process lives from `start` to `close`, at most until the run is aborted. */
export class ServerProcess implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** The end of what it wrote to stderr, or why it could not start; '' while it lives. */
  lastError = ''

  readonly #server: ServerProgram
  readonly #place: Pick<ToolPlace, 'cwd' | 'env' | 'sandbox' | 'signal'>
  readonly #stop = new AbortController()
  #stdin: Writable | null = null
  #ended: Promise<void> = Promise.resolve()

  constructor(server: ServerProgram, place: Pick<ToolPlace, 'cwd' | 'env' | 'sandbox' | 'signal'>) {
    this.#server = server
    this.#place = place
  }

  /** Resolves when the process can be written to, or has ended without a start. */
  async start(): Promise<void> {
    const { command, args, env } = this.#server
    const { cwd, sandbox, signal } = this.#place
    let open: () => void = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const process = runProcess({
      ...{ command, args, cwd, sandbox },
      env: { ...this.#place.env, ...env },
      stdin: (pipe) => {
        this.#stdin = pipe
        open()
      },
      onLine: (line) => {
        const message = JSONRPCMessageSchema.safeParse(tryParseJson(line))
        if (message.success) this.onmessage?.(message.data)
        return undefined
      },
      stdoutLimit: 0, // only the lines are used
      lineLimit: longestMessage,
      signal: AbortSignal.any([signal, this.#stop.signal]),
    })
    this.#ended = process.then(
      ({ stderrTail }) => {
        this.lastError = stderrTail
      },
      (error: unknown) => {
        this.lastError = errorMessage(error) // onclose reports it to each pending request
      },
    )
    void this.#ended.then(() => this.onclose?.())
    await Promise.race([opened, this.#ended])
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#stdin
      if (stdin === null || stdin.destroyed) reject(new Error('the server has ended'))
      else stdin.write(`${JSON.stringify(message)}\n`, () => resolve())
    })
  }

  /** Ends the process and all that it started. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the run is over'))
    await this.#ended
  }
}
