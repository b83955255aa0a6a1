/** record-mcp: stands between an agent and a suite's real MCP server, and records what the server answers. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpServers } from '../../../schemas/environment.ts'
import { type McpRecording, mcpRecording } from '../../../schemas/mcp_recording.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { fillVariables } from '../../engines/environment/suite_servers.ts'
import { findSkillRoot, loadSuite } from '../../phases/1-plan/suite/load_suite.ts'

export interface RecordMcpRequest {
  /** Folder of the skill, absolute. */
  skill: string
  /** null: the only server of the suite. */
  server: string | null
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

/** Serves on standard input and output until the agent closes them. Throws UserError before the server starts. */
export async function recordMcp({ skill, server: wanted, env, signal }: RecordMcpRequest): Promise<void> {
  const root = await findSkillRoot(skill)
  const { name, server } = await chooseServer(root, wanted)
  const file = path.join(root, 'evals/mcp', `${name}.json`)
  const recording = await openRecording(file, name)
  const fill = (text: string) => fillVariables(text, { ...env, ENVIRONMENT_DIR: root })
  const unset = Object.values(server.env ?? {}).flatMap((text) => /\$\{(\w+)\}/.exec(fill(text))?.[1] ?? [])
  if (unset.length > 0)
    throw new UserError(
      `the MCP server ${name} needs ${unset.join(', ')}, which your environment does not have`,
      'export it',
    )
  const own = Object.fromEntries(Object.entries(server.env ?? {}).map(([key, value]) => [key, fill(value)]))
  const client = new Client({ name: 'whetstone', version: '1' })
  await client
    .connect(
      new StdioClientTransport({
        command: fill(server.command ?? ''),
        args: (server.args ?? []).map(fill),
        env: { ...getDefaultEnvironment(), ...own },
      }),
    )
    .catch((error: unknown) => {
      throw new UserError(`the MCP server ${name} did not start (${errorMessage(error)})`, 'start its command by hand')
    })
  const redactor = getRedactor({ ...env, ...own })
  const save = async () => {
    await mkdir(path.dirname(file), { recursive: true })
    await writeAtomic(file, `${JSON.stringify(redactor.value(recording), null, 2)}\n`)
  }
  await serve(client, recording, { save, signal })
}

async function serve(
  client: Client,
  recording: McpRecording,
  { save, signal }: { save: () => Promise<void>; signal: AbortSignal },
): Promise<void> {
  const agent = new Server({ name: recording.server, version: '1.0.0' }, { capabilities: { tools: {} } })
  agent.setRequestHandler(ListToolsRequestSchema, async () => {
    const { tools } = await client.listTools()
    recording.tools = mcpRecording.shape.tools.parse(tools)
    await save()
    return { tools }
  })
  agent.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { name: tool, arguments: given = {} } = params
    const answer = await client.callTool({ name: tool, arguments: given })
    const { _meta: _, ...result } = answer
    recording.calls.push(mcpRecording.shape.calls.element.parse({ tool, arguments: given, result }))
    recording.recorded_at = new Date().toISOString()
    await save()
    return answer
  })
  const over = new Promise<void>((resolve) => {
    agent.onclose = resolve
    process.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await agent.connect(new StdioServerTransport())
  await over
  await client.close()
  await agent.close()
}

/** Further calls are added to a recording that is already there. */
async function openRecording(file: string, server: string): Promise<McpRecording> {
  if (await pathExists(file)) return await readJson(mcpRecording, file)
  return { server, tools: [], calls: [] }
}

async function chooseServer(
  root: string,
  wanted: string | null,
): Promise<{ name: string; server: McpServers[string] }> {
  const suite = await loadSuite(root)
  const all: McpServers = Object.assign({}, ...suite.cases.map(({ environment }) => environment?.mcp_servers ?? {}))
  const names = Object.keys(all)
  const name = wanted ?? (names.length === 1 ? (names[0] ?? '') : '')
  const server = all[name]
  if (server === undefined) {
    const known =
      names.length === 0 ? 'the suite defines none in environment.mcp_servers' : `choose --server ${names.join('|')}`
    throw new UserError(
      wanted === null ? `${root}: which MCP server is to be recorded?` : `no MCP server is named "${wanted}"`,
      known,
    )
  }
  if (server.command === undefined)
    throw new UserError(`the MCP server ${name} has a url`, 'only servers with a command can be recorded')
  return { name, server }
}
