/** record-mcp: stands between an agent and a suite's real MCP server, and records what the server answers. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { type McpRecording, mcpRecording } from '../../../schemas/mcp_recording.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { escapesFolder } from '../../base/fs/inside_folder.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { readJson } from '../../base/json/json.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { findSkillRoot } from '../../phases/1-plan/suite/load_suite.ts'
import type { FlowContext } from '../flow_context.ts'
import { chooseServer, startServer } from './start_server.ts'

export interface RecordMcpRequest {
  /** Folder of the skill, absolute. */
  skill: string
  /** null: the only server of the suite. */
  server: string | null
  sandbox: SandboxWish
  passEnv: readonly string[]
}

/** Serves on standard input and output until the agent closes them. Throws UserError before the server starts. */
export async function recordMcp(request: RecordMcpRequest, context: FlowContext): Promise<void> {
  const root = await findSkillRoot(request.skill)
  const chosen = await chooseServer(root, request.server)
  const file = path.join(root, 'evals/mcp', `${chosen.name}.json`)
  if (escapesFolder(root, file))
    throw new UserError(`${file}: a link in this path leads out of the skill`, 'replace the link by a folder')
  const recording = await openRecording(file, chosen.name)
  await using tempDir = await openTempDir()
  const { server, own, explainEnd } = await startServer(chosen, { ...request, root, tempDir }, context)
  const client = new Client({ name: 'whetstone', version: '1' })
  try {
    await client.connect(server)
  } catch {
    throw explainEnd('did not start')
  }
  const redactor = getRedactor({ ...context.env, ...own })
  const save = async () => {
    await mkdir(path.dirname(file), { recursive: true })
    await writeAtomic(file, `${JSON.stringify(redactor.value(recording), null, 2)}\n`)
  }
  const end = await serve(client, recording, { save, signal: context.drain })
  if (end === 'server') throw explainEnd('has ended')
}

/** Returns which side ended first. */
async function serve(
  client: Client,
  recording: McpRecording,
  { save, signal }: { save: () => Promise<void>; signal: AbortSignal },
): Promise<'agent' | 'server'> {
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
  const over = new Promise<'agent' | 'server'>((resolve) => {
    const onAgentEnd = () => resolve('agent')
    agent.onclose = onAgentEnd
    client.onclose = () => resolve('server')
    process.stdin.once('end', onAgentEnd)
    signal.addEventListener('abort', onAgentEnd, { once: true })
  })
  await agent.connect(new StdioServerTransport())
  const end = await over
  await client.close()
  await agent.close()
  return end
}

/** Further calls are added to a recording that is already there. */
async function openRecording(file: string, server: string): Promise<McpRecording> {
  if (await pathExists(file)) return await readJson(mcpRecording, file)
  return { server, tools: [], calls: [] }
}
