/** What the tool loop of the SDK engines supports of a suite's environment. */
import type { SupportedEnvironment } from '../engine.ts'

export const toolLoopSupport: SupportedEnvironment = {
  hooks: ['PreToolUse', 'PostToolUse', 'Stop'],
  rules: true,
  agents: true,
  agent_fields: ['tools', 'disallowedTools'],
  mcp_servers: true,
  system_prompt: true,
  temperature: true,
  tools: true,
}
