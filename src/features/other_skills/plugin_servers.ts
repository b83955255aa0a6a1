/** Reads the MCP servers of a plugin, and makes them find its folder. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type McpServers, mcpServers } from '../../../schemas/environment.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { checkAs } from '../../base/json/json.ts'
import { findOnPath } from '../../base/sandbox/programs.ts'
import { missingFiles, takeInner, withPluginFolder } from './plugin_hooks.ts'
import { type PluginReading, readJsonSources } from './plugin_reading.ts'

/** Servers by name, as written. */
export async function readPluginServers(reading: PluginReading): Promise<McpServers> {
  const { root, problems, warnings } = reading
  const all: McpServers = {}
  for (const { file, value } of await readJsonSources(reading, { key: 'mcpServers', usual: '.mcp.json' })) {
    try {
      for (const [name, server] of Object.entries(checkAs(mcpServers, takeInner(value, 'mcpServers'), file))) {
        if (name in all) problems.push(`${file}: two servers are named ${name}`)
        all[name] = server
        const texts = [server.command ?? '', ...(server.args ?? []), ...Object.values(server.env ?? {})]
        for (const missing of missingFiles(root, texts)) problems.push(`${file}: server ${name}: no file ${missing}`)
        if (await isProgramMissing(server.command ?? ''))
          warnings.push(`${file}: server ${name}: no program ${server.command} on PATH of this machine`)
        problems.push(...lostScripts(root, server).map((message) => `${file}: server ${name}: ${message}`))
      }
    } catch (error) {
      problems.push(errorMessage(error))
    }
  }
  return all
}

/** Only for a bare name: a worker, or the setup of a case, may still have it. */
async function isProgramMissing(command: string): Promise<boolean> {
  return /^[\w.+-]+$/.test(command) && (await findOnPath(command, process.env.PATH ?? '')) === null
}

/** Scripts by a relative path: a server starts in the agent's folder, where the plugin's files are not. */
function lostScripts(root: string, server: McpServers[string]): string[] {
  const { command = '', args = [] } = server
  if ('cwd' in server || [command, ...args].some((text) => text.includes('CLAUDE_PLUGIN_ROOT'))) return []
  return args
    .filter((text) => /^(?:\.\/)?[\w@][\w./@-]*\.(?:[cm]?[jt]s|py|sh|rb)$/.test(text))
    .map((text) => {
      const name = path.posix.normalize(text)
      const advice = `write \${CLAUDE_PLUGIN_ROOT}/${name}`
      return existsSync(path.join(root, name))
        ? `${text} is looked for in the agent's folder: ${advice}`
        : `${text} is neither in the plugin nor in the agent's folder`
    })
}

/** `folder`: the place of the plugin's copy. */
export function placeServers(servers: McpServers, folder: string): McpServers {
  const placed = Object.entries(withPluginFolder(servers, folder)).map(([name, server]) => {
    const isLocal = server.command !== undefined
    return [name, isLocal ? { ...server, env: { CLAUDE_PLUGIN_ROOT: folder, ...server.env } } : server]
  })
  return Object.fromEntries(placed)
}
