/** Offers the tools of the suite's MCP servers to the model of an SDK engine. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import * as z from 'zod'
import { errorMessage } from '../../base/errors/error.ts'
import { findImageType } from '../../base/fs/image_type.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import { findServerError, readSuiteServers, type SuiteServer } from '../environment/suite_servers.ts'
import { clipOutput, type LocalTool, type ToolAnswer, type ToolPlace } from './tools/tool.ts'

/** Milliseconds until a server must be ready, and until a call must be answered. */
const startMs = 30_000
const callMs = 600_000

/** Characters of base64 that the providers take of one image. */
const longestImage = 5 * 1024 * 1024

export interface ServerTools extends AsyncDisposable {
  names: string[]
  tools: LocalTool[]
  /** null: all of them have started. */
  error: EngineError | null
}

/** Starts the servers of the task; disposing of them ends them. Rejects only when aborted. */
export async function startServers(task: EngineTask, place: ToolPlace): Promise<ServerTools> {
  const servers = await readSuiteServers(task)
  const connections = await Promise.all(servers.map(openConnection))
  const started = await Promise.all(connections.map((one) => listTools(one, place)))
  const close = async () => {
    await Promise.all(connections.map(({ client }) => client.close().catch(() => {})))
  }
  if (place.signal.aborted) await close()
  place.signal.throwIfAborted()
  return {
    names: servers.map(({ name }) => name),
    tools: withUniqueNames(started.flatMap((one) => ('tools' in one ? one.tools : []))),
    error: findServerError(started.flatMap((one) => ('broken' in one ? one.broken : []))),
    [Symbol.asyncDispose]: close,
  }
}

interface Connection {
  server: SuiteServer
  client: Client
}

/** The library is loaded only for a task with servers. */
async function openConnection(server: SuiteServer): Promise<Connection> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  return { server, client: new Client({ name: 'whetstone', version: '1' }) }
}

/** A server with a URL is called from here, outside the sandbox, so only if the agent may reach a network too. Throws for a URL that is none. */
async function openTransport(server: SuiteServer, place: ToolPlace): Promise<Transport> {
  if (server.type === 'stdio') return new (await import('./server_process.ts')).ServerProcess(server, place)
  if (place.sandbox !== null && place.sandbox.policy.network !== 'open') throw new Error('the sandbox has no network')
  const options = { requestInit: { headers: server.headers } }
  if (server.type === 'sse') {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
    return new SSEClientTransport(new URL(server.url), options)
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  return new StreamableHTTPClientTransport(new URL(server.url), options)
}

/** Its tools; or its name, with the reason why it did not start. */
async function listTools(
  { server, client }: Connection,
  place: ToolPlace,
): Promise<{ tools: LocalTool[] } | { broken: string }> {
  const limits = { timeout: startMs, signal: place.signal }
  try {
    await client.connect(await openTransport(server, place), limits)
    if (client.getServerCapabilities()?.tools === undefined) return { tools: [] }
    const { tools } = await client.listTools(undefined, limits)
    return {
      tools: tools.map(({ name, description = '', inputSchema }) => ({
        // the APIs allow no other characters and no longer names
        name: `mcp__${server.name}__${name}`.replaceAll(/[^\w-]/g, '_').slice(0, longestName),
        description,
        inputSchema: inputSchema as LocalTool['inputSchema'],
        readOnly: false,
        run: (input) => callTool(client, name, input, place.signal),
      })),
    }
  } catch (error) {
    await client.close().catch(() => {})
    return { broken: `${server.name} (${describeFailure(error)})` }
  }
}

/** fetch reports why it failed as the cause. */
function describeFailure(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  return [error, cause]
    .filter((one) => one !== undefined)
    .map((one) => oneLine(errorMessage(one)))
    .join(': ')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}

const longestName = 64

/** The APIs refuse a name that is there twice: `a.b` and `a_b` of one server become `a_b` and `a_b_2`. */
function withUniqueNames(tools: readonly LocalTool[]): LocalTool[] {
  const taken = new Set<string>()
  return tools.map((tool) => {
    let { name } = tool
    for (let count = 2; taken.has(name); count += 1) name = `${tool.name.slice(0, longestName - 4)}_${count}`
    taken.add(name)
    return { ...tool, name }
  })
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

/** Texts one after the other, shortened as those of commands; the first image that the APIs take; everything else as JSON. */
function toToolAnswer(answer: unknown): ToolAnswer {
  const { content, isError } = result.parse(answer)
  const texts: string[] = []
  let image: ToolAnswer['image']
  for (const block of content) {
    const shown = imageBlock.safeParse(block).data
    const mediaType = shown === undefined ? null : findImageType(Buffer.from(shown.data, 'base64'))
    if (shown === undefined) texts.push(textBlock.safeParse(block).data?.text ?? JSON.stringify(block))
    else if (mediaType === null) texts.push('(an image of a kind that can not be shown)')
    else if (shown.data.length > longestImage) texts.push('(an image of more than 5 MiB, which can not be shown)')
    else image ??= { mediaType, data: shown.data }
  }
  return { text: clipOutput(texts.join('\n')), isError, ...(image && { image }) }
}
