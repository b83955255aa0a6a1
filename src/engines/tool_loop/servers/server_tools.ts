/** Offers the tools of the suite's MCP servers to the model of an SDK engine. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import * as z from 'zod'
import { errorMessage } from '../../../base/errors/error.ts'
import { findImageType } from '../../../base/fs/image_type.ts'
import type { EngineError, EngineTask } from '../../engine.ts'
import { findServerError } from '../../environment/broken_servers.ts'
import { readSuiteServers } from '../../environment/suite_servers.ts'
import type { LocalTool, ToolAnswer, ToolPlace } from '../tools/tool.ts'
import type { ServerProgram } from './server_process.ts'

/** Milliseconds until a server must be ready, and until a call must be answered. */
const startMs = 30_000
const callMs = 600_000

export interface ServerTools extends AsyncDisposable {
  /** Names of the servers. */
  names: string[]
  tools: LocalTool[]
  /** null: all of them have started. */
  error: EngineError | null
}

/** Starts the servers of the task; disposing of them ends them. Rejects only when aborted. */
export async function startServers(task: EngineTask, place: ToolPlace): Promise<ServerTools> {
  const servers = (await readSuiteServers(task)).filter((server) => server.type === 'stdio')
  const connections = await Promise.all(servers.map(openConnection))
  const started = await Promise.all(connections.map((one) => listTools(one, place)))
  const close = async () => {
    await Promise.all(connections.map(({ client }) => client.close().catch(() => {})))
  }
  if (place.signal.aborted) await close()
  place.signal.throwIfAborted()
  const broken = servers.filter((_, index) => started[index] === null)
  return {
    names: servers.map(({ name }) => name),
    tools: started.flatMap((tools) => tools ?? []),
    error: findServerError(broken.map(({ name }) => name)),
    [Symbol.asyncDispose]: close,
  }
}

interface Connection {
  server: ServerProgram
  client: Client
}

/** The library is loaded only for a task with servers. */
async function openConnection(server: ServerProgram): Promise<Connection> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  return { server, client: new Client({ name: 'whetstone', version: '1' }) }
}

/** null: the server did not start. */
async function listTools({ server, client }: Connection, place: ToolPlace): Promise<LocalTool[] | null> {
  try {
    const { ServerProcess } = await import('./server_process.ts')
    await client.connect(new ServerProcess(server, place), { timeout: startMs })
    if (client.getServerCapabilities()?.tools === undefined) return []
    const { tools } = await client.listTools(undefined, { timeout: startMs })
    return tools.map(({ name, description = '', inputSchema }) => ({
      // the APIs allow no other characters and no longer names
      name: `mcp__${server.name}__${name}`.replaceAll(/[^\w-]/g, '_').slice(0, 64),
      description,
      inputSchema: inputSchema as LocalTool['inputSchema'],
      readOnly: false,
      run: (input) => callTool(client, name, input, place.signal),
    }))
  } catch {
    await client.close().catch(() => {})
    return null
  }
}

const object = z.record(z.string(), z.unknown())
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
const imageBlock = z.looseObject({ type: z.literal('image'), data: z.string() })
const result = z.looseObject({ content: z.array(z.unknown()).default([]), isError: z.boolean().default(false) })

async function callTool(client: Client, name: string, input: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  const given = object.safeParse(input)
  if (!given.success) return { text: `${name}: the input must be an object`, isError: true }
  try {
    const answer = await client.callTool({ name, arguments: given.data }, undefined, { signal, timeout: callMs })
    return toToolAnswer(answer)
  } catch (error) {
    signal.throwIfAborted()
    return { text: errorMessage(error), isError: true }
  }
}

/** Texts one after the other; the first image that the APIs take; everything else as JSON. */
function toToolAnswer(answer: unknown): ToolAnswer {
  const { content, isError } = result.parse(answer)
  const [image] = content.flatMap((block) => {
    const { data } = imageBlock.safeParse(block).data ?? {}
    const mediaType = data === undefined ? null : findImageType(Buffer.from(data, 'base64'))
    return data === undefined || mediaType === null ? [] : [{ mediaType, data }]
  })
  const texts = content.flatMap((block) => {
    if (imageBlock.safeParse(block).success) return []
    const text = textBlock.safeParse(block)
    return text.success ? text.data.text : JSON.stringify(block)
  })
  return { text: texts.join('\n'), isError, ...(image && { image }) }
}
