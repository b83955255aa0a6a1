/** hooks/hooks.json of an AAM package as Claude Code's hooks; each command gets what a session says in both dialects. */
import type { HookEntry, Hooks } from '../../../../../schemas/environment.ts'
import { messageOf } from '../../../../base/error.ts'
import { exists } from '../../../../base/files.ts'
import { readText } from '../../../../base/json.ts'
import { readYaml } from '../../../../base/yaml.ts'
import { isObject } from '../evals_json/fields.ts'

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

/** Never throws: what can't be read is left out with a warning; null: there is no such file. */
export async function readAamHooks(file: string): Promise<AamHooks | null> {
  if (!(await exists(file))) return null
  const text = await readText(file).catch((error: unknown) => error)
  const warnings: AamHooks['warnings'] = []
  const nothing = (message: string) => ({ groups: {}, warnings: [{ at: file, message }] })
  if (typeof text !== 'string') return nothing(messageOf(text))
  const yaml = readYaml(text.replace(/^\uFEFF/, ''))
  if (!yaml.ok) return nothing(`${file}:${yaml.at.line}:${yaml.at.column}: ${yaml.message}`)
  const warn = (path: readonly PropertyKey[], message: string) => {
    const { line, column } = yaml.at(path)
    warnings.push({ at: `${file}:${line}:${column}`, message })
  }
  const { value } = yaml
  const events = isObject(value) && isObject(value.hooks) ? value.hooks : null
  if (events === null) return nothing('has no map "hooks"')
  const groups: AamHooks['groups'] = {}
  for (const [event, given] of Object.entries(events)) {
    if (!Object.hasOwn(claudeEvents, event) && !Object.values(claudeEvents).includes(event)) {
      warn(['hooks', event], `${event} is no event that is known; its hooks never run`)
      continue
    }
    groups[event] = groupsIn(given, (path, message) => warn(['hooks', event, ...path], message))
  }
  return { groups, warnings }
}

function groupsIn(given: unknown, warn: (path: readonly PropertyKey[], message: string) => void): AamHookGroup[] {
  if (!Array.isArray(given)) {
    warn([], 'must be a list of groups')
    return []
  }
  return given.flatMap((group: unknown, index) => {
    if (!isObject(group) || !Array.isArray(group.hooks)) {
      warn([index], 'a group needs a list "hooks"')
      return []
    }
    const entries = group.hooks.flatMap((entry: unknown, at) => {
      const read = entryOf(entry)
      if (read === null) warn([index, 'hooks', at], 'needs a "command" or a "prompt"')
      return read ?? []
    })
    return [{ matcher: typeof group.matcher === 'string' ? group.matcher : null, entries }]
  })
}

function entryOf(entry: unknown): HookEntry | null {
  if (!isObject(entry)) return null
  const { command, prompt, timeout } = entry
  const seconds = typeof timeout === 'number' && timeout > 0 ? { timeout } : {}
  if (typeof command === 'string' && command.trim() !== '') return { type: 'command', command, ...seconds }
  return typeof prompt === 'string' && prompt.trim() !== '' ? { type: 'prompt', prompt, ...seconds } : null
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
