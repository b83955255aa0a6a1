/** `.claude-plugin/plugin.json`: where a plugin has its parts, as Claude Code 2.1 reads it. */
import * as z from 'zod'

const ownPath = z
  .string()
  .regex(/^\.\/(?!(?:.*\/)?\.\.(?:\/|$))/, 'must be a path that begins with ./ and stays in the plugin')

const paths = z.union([ownPath, z.array(ownPath)], {
  error: 'must be a path that begins with ./ and stays in the plugin, or a list of such paths',
})

/** A path, an inline object, or a list of both. */
const sources = z.union([ownPath, z.record(z.string(), z.unknown()), z.array(z.unknown())], {
  error: 'must be a path that begins with ./ and stays in the plugin, an object, or a list of both',
})

export const pluginManifest = z.looseObject({
  name: z.string().regex(/^\w[\w.-]*$/, 'must be a name of letters, digits, -, _ and .'),
  version: z.string().optional(),
  skills: paths.optional().describe('further skills or folders of skills, besides skills/'),
  commands: z
    .union([paths, z.record(z.string(), z.unknown())])
    .optional()
    .describe('Markdown files or folders of them, instead of commands/'),
  agents: paths.optional().describe('Markdown files or folders of them, instead of agents/'),
  hooks: sources.optional().describe('besides hooks/hooks.json'),
  mcpServers: sources.optional().describe('besides .mcp.json'),
})

export type PluginManifest = z.infer<typeof pluginManifest>
