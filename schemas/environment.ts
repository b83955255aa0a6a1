/** The agent's environment that a suite defines besides files, the same in both arms: hooks, rules, sub-agents, MCP servers. */
import * as z from 'zod'

export const hookEntry = z.looseObject({
  type: z.string().default('command').describe('command; an engine may support other types, such as prompt'),
  command: z
    .string()
    .min(1)
    .optional()
    .describe('a shell command; ENVIRONMENT_DIR is the folder that contains `files`'),
  timeout: z.number().positive().optional().describe('seconds'),
})

const hookGroup = z.strictObject({
  matcher: z
    .string()
    .optional()
    .describe('a tool name, names joined by |, or a regular expression; absent, "" or *: all'),
  hooks: z.array(hookEntry).min(1),
})

/** Hooks as in Claude Code's settings.json: event → groups. */
export const hooks = z.record(
  z.string().regex(/^[A-Z][A-Za-z]+$/, 'must be an event of Claude Code, such as PreToolUse'),
  z.array(hookGroup),
)

/** An MCP server as in .mcp.json: a command for stdio, or a url. */
export const mcpServer = z.looseObject({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.string().min(1).optional(),
})

/** A variable may stand for any part of it. */
function isAddress(url: string): boolean {
  return url.includes('${') || (/^https?:\/\//i.test(url) && URL.canParse(url))
}

export const mcpServers = z.record(
  z.string().regex(/^[\w-]{1,64}$/, 'must be a name of letters, digits, _ and -'),
  mcpServer
    .refine((one) => one.command !== undefined || one.url !== undefined, 'needs a "command" or a "url"')
    .refine((one) => one.url === undefined || isAddress(one.url), '"url" must begin with http:// or https://')
    .meta({
      anyOf: [{ required: ['command'] }, { required: ['url'] }],
    }),
)

const paths = z.array(z.string().min(1))

/** The environment as a suite writes it; paths are relative to the skill's folder. */
export const environmentSource = z.strictObject({
  files: paths.optional().describe("files and folders that hooks and servers need, placed outside the agent's folder"),
  hooks: z
    .union([z.string().min(1), hooks], { error: 'must be hooks by event, or the path of their file' })
    .optional()
    .describe('path of a settings.json or hooks.json, or its hooks'),
  rules: paths.optional().describe('Markdown files for .claude/rules/'),
  agents: paths.optional().describe('sub-agents, Markdown files for .claude/agents/'),
  mcp_servers: z
    .union([z.string().min(1), mcpServers], { error: 'must be servers by name, or the path of their file' })
    .optional()
    .describe('path of a .mcp.json, or its servers'),
})

export type Hooks = z.infer<typeof hooks>
export type HookEntry = z.infer<typeof hookEntry>
export type McpServers = z.infer<typeof mcpServers>
export type EnvironmentSource = z.infer<typeof environmentSource>
