/** Reads the hooks of a plugin, and makes their commands find its folder. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type HookEntry, type Hooks, hooks as hooksSchema } from '../../../schemas/environment.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { checkAs } from '../../base/json/json.ts'
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
export function takeInner(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? Object.entries(value).find(([one]) => one === key)?.[1]
    : value
}

const ownFile = /\$\{?CLAUDE_PLUGIN_ROOT\}?"?\/([\w./@+-]*\w)/g

/** The files that the texts name below ${CLAUDE_PLUGIN_ROOT} and that do not exist, relative to the plugin. */
export function missingFiles(root: string, texts: readonly unknown[]): string[] {
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
export function withPluginFolder<V>(value: V, folder: string): V {
  const text = JSON.stringify(folder).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => text))
}
