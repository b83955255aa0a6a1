/** Passes the suite's MCP servers to the agent in `session/new`. */
import { readFile } from 'node:fs/promises'
import type { McpServer } from '@agentclientprotocol/sdk'
import * as z from 'zod'
import type { EngineTask, SupportedEnvironment } from '../../engine.ts'
import type { InitializeResult } from './records.ts'

export const acpSupport: SupportedEnvironment = { hooks: [], rules: false, agents: false, mcp_servers: true }

const texts = z.record(z.string(), z.string()).default({})
const config = z.looseObject({
  mcpServers: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      command: z.string().optional(),
      args: z.array(z.string()).default([]),
      env: texts,
      url: z.string().optional(),
      headers: texts,
    }),
  ),
})

/** The servers of the task, or why the agent can't use one. */
export async function readMcpServers(
  { environment, env }: Pick<EngineTask, 'environment' | 'env'>,
  { agentCapabilities }: InitializeResult,
): Promise<McpServer[] | { mistake: string }> {
  if (!environment?.mcpConfig) return []
  const { mcpServers } = config.parse(JSON.parse(await readFile(environment.mcpConfig, 'utf8')))
  const able = agentCapabilities?.mcpCapabilities
  const servers: McpServer[] = []
  for (const [name, server] of Object.entries(mcpServers)) {
    const fill = (text: string) => fillVariables(text, env)
    const pairs = (record: Record<string, string>) =>
      Object.entries(record).map(([key, value]) => ({ name: key, value: fill(value) }))
    if (server.url === undefined) {
      const args = server.args.map(fill)
      servers.push({ name, command: fill(server.command ?? ''), args, env: pairs(server.env) })
      continue
    }
    const type = server.type === 'sse' ? 'sse' : 'http'
    if (able?.[type] !== true)
      return { mistake: `the agent can't use the MCP server ${name}: it does not support ${type}` }
    servers.push({ type, name, url: fill(server.url), headers: pairs(server.headers) })
  }
  return servers
}

/** Replaces ${NAME} and ${NAME:-default}, as Claude Code does in .mcp.json. */
function fillVariables(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (all, name: string, usual: string | undefined) => env[name] ?? usual ?? all,
  )
}
