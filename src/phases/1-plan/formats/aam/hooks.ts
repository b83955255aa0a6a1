/** hooks/hooks.json of an AAM package as Claude Code's hooks; each command gets what a session says in both dialects. */

import path from 'node:path'
import type { HookEntry, Hooks } from '../../../../../schemas/environment.ts'
import { messageOf } from '../../../../base/error.ts'
import { exists } from '../../../../base/files.ts'
import { ownFile } from '../../../../base/own_file.ts'
import { readYaml } from '../../../../base/yaml.ts'
import { isObject } from '../evals_json/fields.ts'
import { packageText } from './own.ts'

/** Events by their names in the package. */
export const claudeEvents: Readonly<Record<string, string>> = {
  'pre-tool-use': 'PreToolUse',
  'permission-request': 'PermissionRequest',
  'post-tool-use': 'PostToolUse',
  'pre-prompt': 'UserPromptSubmit',
  'session-start': 'SessionStart',
  'session-end': 'SessionEnd',
  stop: 'Stop',
  'sub-agent-end': 'SubagentStop',
  'pre-compact': 'PreCompact',
  notification: 'Notification',
}

/** A group of a hooks.json as it is written. */
interface AamHookGroup {
  matcher: string | null
  entries: HookEntry[]
}

export interface AamHooks {
  /** By the package's own event names. */
  groups: Record<string, AamHookGroup[]>
  warnings: { at: string; message: string }[]
}

/** Of a package's folder. Never throws: what can't be read is left out with a warning; null: there is no hooks/hooks.json. */
export async function readAamHooks(root: string): Promise<AamHooks | null> {
  const file = path.join(root, 'hooks/hooks.json')
  if (!(await exists(file))) return null
  const text = await packageText(root, file).catch((error: unknown) => error)
  const warnings: AamHooks['warnings'] = []
  const nothing = (message: string) => ({ groups: {}, warnings: [{ at: file, message }] })
  if (typeof text !== 'string') return nothing(messageOf(text))
  const yaml = readYaml(text.replace(/^\uFEFF/, ''))
  if (!yaml.ok) return nothing(`${file}:${yaml.at.line}:${yaml.at.column}: ${yaml.message}`)
  const warn: WarnAt = (place, message) => {
    const { line, column } = yaml.at(place)
    warnings.push({ at: `${file}:${line}:${column}`, message })
  }
  const { value } = yaml
  const events = isObject(value) && isObject(value.hooks) ? value.hooks : null
  if (!isObject(value) || events === null) return nothing('has no map "hooks"')
  warnUnread(value, { known: ['version', 'hooks', 'description'], at: [], warn })
  const { version = 1 } = value
  if (version !== 1) warn(['version'], `is ${JSON.stringify(version)}; 1 is known`)
  const groups: AamHooks['groups'] = {}
  for (const [event, given] of Object.entries(events)) {
    if (!Object.hasOwn(claudeEvents, event) && !Object.values(claudeEvents).includes(event)) {
      warn(['hooks', event], `${event} is no event that is known; its hooks never run`)
      continue
    }
    groups[event] = groupsIn(given, { root, warn: (place, message) => warn(['hooks', event, ...place], message) })
  }
  return { groups, warnings }
}

type WarnAt = (path: readonly PropertyKey[], message: string) => void

interface GroupPlace {
  root: string
  warn: WarnAt
}

function groupsIn(given: unknown, { root, warn }: GroupPlace): AamHookGroup[] {
  if (!Array.isArray(given)) {
    warn([], 'must be a list of groups')
    return []
  }
  return given.flatMap((group: unknown, index) => {
    if (!isObject(group) || !Array.isArray(group.hooks)) {
      warn([index], 'a group needs a list "hooks"')
      return []
    }
    warnUnread(group, { known: ['matcher', 'hooks'], at: [index], warn })
    const { matcher = null } = group
    if (matcher !== null && typeof matcher !== 'string') {
      warn([index, 'matcher'], 'must be text; the group is left out')
      return []
    }
    const entries = group.hooks.flatMap((entry: unknown, at) => {
      const place = [index, 'hooks', at]
      return entryOf(entry, { root, warn: (inner, message) => warn([...place, ...inner], message) }) ?? []
    })
    return [{ matcher, entries }]
  })
}

/** Its type is what it says, else what it has. */
function entryOf(entry: unknown, { root, warn }: GroupPlace): HookEntry | null {
  if (!isObject(entry)) {
    warn([], 'needs a "command" or a "prompt"')
    return null
  }
  const { command, prompt, timeout } = entry
  const type = entry.type ?? (command === undefined && prompt !== undefined ? 'prompt' : 'command')
  const text = type === 'command' ? command : type === 'prompt' ? prompt : undefined
  if (typeof text !== 'string' || text.trim() === '') {
    const known = type === 'command' || type === 'prompt'
    warn(
      [],
      known ? `of type ${type} it needs a "${type}"; it is left out` : `${String(type)} is neither command nor prompt`,
    )
    return null
  }
  warnUnread(entry, { known: ['type', type === 'command' ? 'command' : 'prompt', 'timeout'], at: [], warn })
  const isTime = typeof timeout === 'number' && timeout > 0
  if (timeout !== undefined && !isTime) warn(['timeout'], 'must be seconds above 0; it is not read')
  const seconds = isTime ? { timeout } : {}
  if (type === 'prompt') return { type, prompt: text, ...seconds }
  warnRelative(text, { root, warn })
  return { type: 'command', command: text, ...seconds }
}

function warnUnread(
  object: Record<string, unknown>,
  { known, at, warn }: { known: readonly string[]; at: readonly PropertyKey[]; warn: WarnAt },
): void {
  for (const name of Object.keys(object)) if (!known.includes(name)) warn([...at, name], `${name} is not read`)
}

/** A session's hooks start in the agent's folder, where no file of the package lies; its tests start in the package's. */
function warnRelative(command: string, { root, warn }: GroupPlace): void {
  const own = command.split(/[\s"'`;|&()<>=]+/).find((word) => /^[\w.]/.test(word) && ownFile(root, word) !== null)
  if (own === undefined) return
  warn(['command'], `names ${own} without \${PACKAGE_ROOT}/ before it: in a session it starts in another folder`)
}

/** As Claude Code has them; events that name the same are joined, groups of nothing left out. */
export function claudeHooks({ groups }: AamHooks): Hooks {
  const made: Hooks = {}
  for (const [event, each] of Object.entries(groups)) {
    const name = claudeEvents[event] ?? event
    const all = each.filter(({ entries }) => entries.length > 0)
    if (all.length === 0) continue
    made[name] ??= []
    made[name].push(
      ...all.map(({ matcher, entries }) => ({
        ...(matcher !== null && { matcher }),
        hooks: entries.map((entry) => inSession(entry, event)),
      })),
    )
  }
  return made
}

/** The event's name in the package goes along with what the session says, and its fields in camelCase beside its own. */
function inSession(entry: HookEntry, event: string): HookEntry {
  if (entry.command === undefined) return entry
  const root = `export PACKAGE_ROOT="\${ENVIRONMENT_DIR}" CLAUDE_PLUGIN_ROOT="\${ENVIRONMENT_DIR}"`
  return { ...entry, command: `${root}\nnode -e '${translator}' ${event} | {\n${entry.command}\n}` }
}

/** No single quote may be in it. Fields of a tool's input are the same in both dialects. */
const translator = [
  'const said = JSON.parse(require("fs").readFileSync(0, "utf8"))',
  'const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())',
  'const both = Object.fromEntries(Object.entries(said).map(([name, value]) => [camel(name), value]))',
  'console.log(JSON.stringify({ ...both, ...said, hookEventName: process.argv[1] }))',
].join('; ')
