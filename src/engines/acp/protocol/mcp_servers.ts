/** Passes the suite's MCP servers to the agent in `session/new`. */
import type { McpServer } from '@agentclientprotocol/sdk'
import type { EngineTask, SupportedEnvironment } from '../../engine.ts'
import { readSuiteServers } from '../../environment/suite_servers.ts'
import type { InitializeResult } from './records.ts'

export const acpSupport: SupportedEnvironment = { hooks: [], rules: false, agents: false, mcp_servers: true }

/** The servers of the task, or why the agent can't use one. */
export async function readMcpServers(
  task: Pick<EngineTask, 'environment' | 'env' | 'tools'>,
  { agentCapabilities }: InitializeResult,
): Promise<McpServer[] | { mistake: string }> {
  const able = agentCapabilities?.mcpCapabilities
  const servers: McpServer[] = []
  for (const server of await readSuiteServers(task)) {
    const { name, type } = server
    if (type === 'stdio') {
      servers.push({ name, command: server.command, args: server.args, env: toPairs(server.env) })
      continue
    }
    if (able?.[type] !== true)
      return { mistake: `the agent can't use the MCP server ${name}: it does not support ${type}` }
    servers.push({ type, name, url: server.url, headers: toPairs(server.headers) })
  }
  return servers
}

function toPairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }))
}
