/** What the tool loop of the SDK engines honours of a suite's environment. */
import type { Honours } from '../engine.ts'

export const toolLoopHonours: Honours = {
  hooks: ['PreToolUse', 'PostToolUse', 'Stop'],
  rules: true,
  agents: false,
  mcp_servers: false,
  system_prompt: true,
  temperature: true,
  tools: true,
}
