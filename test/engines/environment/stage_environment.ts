/** A stage with a suite's MCP server and sub-agent, installed as a run installs them. */
import path from 'node:path'
import { environment } from '../../../schemas/suite.ts'
import { installEnvironment } from '../../../src/phases/2-run/workspace/install_suite_environment.ts'
import type { Stage } from '../stage.ts'

const ticketServer = path.join(import.meta.dirname, '../../fixtures/servers/tickets.mjs')

/** What a server that works, and one that does not start, are called with. */
export const servers = {
  works: { tickets: { command: process.execPath, args: [ticketServer, `SERVER-CANARY \${PLACE:-nowhere}`] } },
  dies: { tickets: { command: process.execPath, args: [ticketServer, 'die'] } },
  refuses: { tickets: { command: process.execPath, args: [ticketServer, 'refuse'] } },
  hangs: { tickets: { command: process.execPath, args: [ticketServer, 'hang'] } },
  broken: { tickets: { command: process.execPath, args: ['/nonexistent/server.mjs'] } },
}

export const reviewer =
  '---\nname: reviewer\ndescription: AGENT-CANARY reviews things\n---\nAGENT-PROMPT-CANARY Review.\n'

/** Installs them in the stage's working folder. */
export function installed(
  { cwd, home }: Stage,
  mcp_servers: object,
  agent_texts: Record<string, string> = {},
  hooks: object = {},
) {
  const wanted = environment.parse({ files: [], hooks, rules: [], agents: [], mcp_servers, agent_texts })
  return installEnvironment(wanted, { cwd, folder: path.join(home, 'environment') })
}
