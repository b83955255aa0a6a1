/** Starts an agent that speaks ACP on its stdin and stdout, as a stream of messages for the protocol's library. */
import type { Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import * as z from 'zod'
import { type ProcessEnd, runProcess } from '../../base/process/spawn.ts'
import type { CliLaunch } from '../../engines/cli/headless_cli.ts'
import { parseJsonLine, type UnreadableLine } from '../../engines/cli/json_line.ts'

export interface AgentProcess {
  stream: Stream
  /** How it ended. Rejects like runProcess; after `stop` with its reason. */
  ended: Promise<ProcessEnd>
  /** Ends it and its process group within a bounded time. */
  stop(reason: Error): void
}

export interface AgentProcessRequest {
  launch: Omit<CliLaunch, 'signal'>
  args: readonly string[]
  stderrFile: string | null
  /**
   * A notification, as soon as it is read: the library drops updates of kinds that it does not know, and takes the others a little later
   * than the response that follows them.
   */
  onNotification(method: string, params: unknown): void
  /** A line that is not a message of the protocol. */
  onOtherLine(line: string, read: UnreadableLine): void
}

const id = z.union([z.string(), z.number()])
const notification = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: z.unknown(),
  id: z.undefined().optional(),
})
const call = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string(), id })
const error = z.looseObject({ code: z.number().int(), message: z.string() })
const response = z.looseObject({ jsonrpc: z.literal('2.0'), id, error: error.optional() })

/** Starts the agent. Its memory is bounded: a line of more than 10 MiB is dropped, and a message is handled before the next chunk is read. */
export function startAgentProcess(request: AgentProcessRequest): AgentProcess {
  const { launch, args, stderrFile, onNotification, onOtherLine } = request
  const stop = new AbortController()
  const asked = new Set<unknown>()
  let openStdin: (pipe: Writable) => void = () => {}
  const stdin = new Promise<Writable>((resolve) => {
    openStdin = resolve
  })
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      if ('method' in message && 'id' in message) asked.add(message.id)
      // a sandbox takes a while to open: the first message waits for it
      await writeLine(await pipe, JSON.stringify(message))
    },
  })
  let messages: ReadableStreamDefaultController<AnyMessage> | null = null
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      messages = controller
    },
  })
  const ended = runProcess({
    ...launch,
    args,
    stdin: openStdin,
    onLine(line) {
      const read = parseJsonLine(line)
      const notified = read.kind === 'object' ? notification.safeParse(read.value) : null
      const message = read.kind === 'object' ? toMessage(read.value, asked) : null
      if (notified?.success) onNotification(notified.data.method, notified.data.params)
      else if (message !== null) messages?.enqueue(message)
      else onOtherLine(line, read.kind === 'object' ? { kind: 'unreadable', isTooDeep: false } : read)
      return undefined
    },
    stderrFile,
    stdoutLimit: 0, // only the lines are used
    signal: stop.signal,
  }).finally(() => {
    try {
      messages?.close()
    } catch {} // the library has closed it
  })
  const gone = ended.then(
    () => null,
    () => null, // it may reject before anything awaits it
  )
  const pipe = Promise.race([stdin, gone])
  return { stream: { readable, writable }, ended, stop: (reason) => stop.abort(reason) }
}

/** The message, if the library can use it: a request, or the response to a request that is waiting for one. */
function toMessage(value: Record<string, unknown>, asked: Set<unknown>): AnyMessage | null {
  const called = call.safeParse(value)
  if (called.success) return called.data
  const answered = response.safeParse(value)
  if (!answered.success || !asked.delete(answered.data.id)) return null
  const { id: answeredId, error: refusal, result = null } = answered.data
  return { jsonrpc: '2.0', id: answeredId, ...(refusal === undefined ? { result } : { error: refusal }) }
}

function writeLine(stdin: Writable | null, line: string): Promise<void> {
  return new Promise((resolve) => {
    if (stdin === null || stdin.destroyed) resolve()
    else stdin.write(`${line}\n`, () => resolve()) // it may have exited: then the reading end says so
  })
}
