/** What the tools of one server share: where it may read and write, its jobs, and what it allows. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { Jobs } from './jobs.ts'
import type { Roots } from './roots.ts'

/** What the person who configures the server allows, in its arguments. */
export interface McpOptions {
  /** The sum of the upper bounds of plans that start without a question, in dollars; null: every plan needs a person. */
  approveUpTo: number | null
  /** Whether plans may name engines that start any program, and configuration files may set everything. */
  allowPrograms: boolean
}

export interface McpSession {
  server: McpServer
  options: McpOptions
  /** Absolute, links resolved. */
  cwd: string
  env: FlowContext['env']
  roots: Roots
  jobs: Jobs
  /** The upper bounds of the plans that started without a question, by id. */
  allowed: Map<string, number>
}
