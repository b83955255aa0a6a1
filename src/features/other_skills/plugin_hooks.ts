/** Reads the hooks and MCP servers of a plugin, and makes their commands find its folder. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { HookEntry, Hooks, McpServers } from '../../../schemas/environment.ts'
import { hooks as hooksSchema, mcpServers } from '../../../schemas/environment.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { checkAs } from '../../base/json/json.ts'
import { findOnPath } from '../../base/sandbox/programs.ts'
import { findForeignHooks, unknownEvent } from '../../phases/1-plan/formats/hook_events.ts'
import { type PluginReading, readJsonSources } from './plugin_reading.ts'

/** Hooks by event, as written. A file has them below "hooks"; in the manifest they may have no such key. */
export async function readPluginHooks(reading: PluginReading): Promise<Hooks> {
  const { root, problems, warnings } = reading
  const all: Hooks = {}
  for (const { file, value } of await readJsonSources(reading, { key: 'hooks', usual: 'hooks/hooks.json' })) {
    try {
      const inner = takeInner(value, 'hooks')
      const foreign = findForeignHooks(inner)
      if (foreign !== null) {
        warnings.push(`${file}: ${foreign}`)
        continue
      }
      for (const [event, groups] of Object.entries(checkAs(hooksSchema, inner, file))) {
        const unknown = unknownEvent(event)
        if (unknown?.isMistake) problems.push(`${file}: ${unknown.message}`)
        else if (unknown) warnings.push(`${file}: ${unknown.message}; its hooks may never run`)
        all[event] = [...(all[event] ?? []), ...groups]
        const entries = groups.flatMap((group) => group.hooks)
        const texts = entries.flatMap(({ command, args }) => [command ?? '', ...(Array.isArray(args) ? args : [])])
        for (const missing of missingFiles(root, texts)) problems.push(`${file}: ${event}: no file ${missing}`)
      }
    } catch (error) {
      problems.push(errorMessage(error))
    }
  }
  return all
}

/** The value of a file's one key, or the value itself. */
function takeInner(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? Object.entries(value).find(([one]) => one === key)?.[1]
    : value
}

const ownFile = /\$\{?CLAUDE_PLUGIN_ROOT\}?"?\/([\w./@+-]*\w)/g

/** The files that the texts name below ${CLAUDE_PLUGIN_ROOT} and that do not exist, relative to the plugin. */
function missingFiles(root: string, texts: readonly unknown[]): string[] {
  const named = texts.flatMap((text) => [...String(text).matchAll(ownFile)].map(([, name = '']) => name))
  return [...new Set(named)].filter((name) => !existsSync(path.join(root, name)))
}

/** `folder`: the place of the plugin's copy. The variable is in the text, as Claude Code puts it, and in the command's environment. */
export function placeHooks(hooks: Hooks, folder: string): Hooks {
  const placed = Object.entries(hooks).map(([event, groups]) => {
    return [event, groups.map((group) => ({ ...group, hooks: group.hooks.map((hook) => placeHook(hook, folder)) }))]
  })
  return Object.fromEntries(placed)
}

function placeHook(hook: HookEntry, folder: string): HookEntry {
  const { command, args, ...others } = withPluginFolder(hook, folder)
  if (command === undefined) return { ...others, ...(args !== undefined && { args }) }
  if (Array.isArray(args))
    return { ...others, command: 'env', args: [`CLAUDE_PLUGIN_ROOT=${folder}`, command, ...args] }
  return { ...others, command: `export CLAUDE_PLUGIN_ROOT="${folder}"\n${command}` }
}

/** Replaces ${CLAUDE_PLUGIN_ROOT} in every text of the value. */
function withPluginFolder<V>(value: V, folder: string): V {
  const text = JSON.stringify(folder).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => text))
}

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
