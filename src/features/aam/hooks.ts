/** Converts hooks/hooks.json of an AAM package to Claude Code's hooks; each command gets its input in both dialects. */
import path from 'node:path'
import splitWords from 'string-argv'
import type { HookEntry, Hooks } from '../../../schemas/environment.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { quoteWord } from '../../base/package_root.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { findForeignHooks, unknownEvent } from '../../phases/1-plan/formats/hook_events.ts'
import { type FieldMistake, readPackageText } from './fields.ts'

/** Event names of the package → Claude Code's. */
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

/** A group of hooks.json as written. */
interface AamHookGroup {
  matcher: string | null
  entries: HookEntry[]
}

export interface AamHooks {
  /** Keyed by the package's own event names. */
  groups: Record<string, AamHookGroup[]>
  warnings: FieldMistake[]
  /** Misspelt events, whose hooks would never run. */
  mistakes: FieldMistake[]
}

/** Reads the hooks of a package's folder. Never throws: skips what is unreadable with a warning; null: no hooks/hooks.json. */
export async function readAamHooks(root: string): Promise<AamHooks | null> {
  const file = path.join(root, 'hooks/hooks.json')
  if (!(await pathExists(file))) return null
  const text = await readPackageText(root, file).catch((error: unknown) => error)
  const [warnings, mistakes]: [FieldMistake[], FieldMistake[]] = [[], []]
  const nothing = (message: string) => ({ groups: {}, warnings: [{ at: file, message }], mistakes: [] })
  if (typeof text !== 'string') return nothing(errorMessage(text))
  const yaml = readYaml(text.replace(/^\uFEFF/, ''))
  if (!yaml.ok) return nothing(`${file}:${yaml.at.line}:${yaml.at.column}: ${yaml.message}`)
  const where = (place: readonly PropertyKey[]) => {
    const { line, column } = yaml.at(place)
    return `${file}:${line}:${column}`
  }
  const warn: HookWarn = (place, message) => warnings.push({ at: where(place), message })
  const { value } = yaml
  if (!isJsonObject(value)) return nothing('has no map "hooks"')
  const events = listEvents(value.hooks)
  if (events === null)
    return nothing('has neither a map "hooks" of events nor a list "hooks" of groups with an "event"')
  const foreign = findForeignHooks(value.hooks)
  if (foreign !== null) return nothing(`${foreign}; docs/reference/aam.md shows the form`)
  warnUnread(value, { known: ['version', 'hooks', 'description'], at: [], warn })
  const { version = 1 } = value
  if (version !== 1) warn(['version'], `is ${JSON.stringify(version)}; 1 is known`)
  const groups: AamHooks['groups'] = {}
  for (const { event, at, locate, given } of events) {
    const unknown = unknownEvent(event, Object.keys(claudeEvents))
    if (unknown?.isMistake) mistakes.push({ at: where(at), message: unknown.message })
    else if (unknown) warn(at, `${unknown.message}; its hooks never run`)
    if (unknown !== null) continue
    const read = readHookGroups(given, { root, warn: (place, message) => warn(locate(place), message) })
    groups[event] = [...(groups[event] ?? []), ...read]
  }
  return { groups, warnings, mistakes }
}

interface GivenEvent {
  event: string
  /** Where the file names it. */
  at: readonly PropertyKey[]
  /** The place in the file of a place in `given`. */
  locate: (place: readonly PropertyKey[]) => readonly PropertyKey[]
  given: unknown
}

/** The groups by event, from a map or from a list whose groups name their event; null: it is neither. */
function listEvents(hooks: unknown): GivenEvent[] | null {
  if (isJsonObject(hooks)) {
    return Object.entries(hooks).map(([event, given]) => {
      const at = ['hooks', event]
      return { event, at, locate: (place) => [...at, ...place], given }
    })
  }
  if (!Array.isArray(hooks)) return null
  const events: GivenEvent[] = []
  for (const [index, one] of hooks.entries()) {
    if (!isJsonObject(one) || typeof one.event !== 'string') return null
    const { event, ...group } = one
    const locate: GivenEvent['locate'] = ([, ...place]) => ['hooks', index, ...place]
    events.push({ event, at: ['hooks', index, 'event'], locate, given: [group] })
  }
  return events
}

type HookWarn = (path: readonly PropertyKey[], message: string) => void

interface GroupPlace {
  root: string
  warn: HookWarn
}

function readHookGroups(given: unknown, { root, warn }: GroupPlace): AamHookGroup[] {
  if (!Array.isArray(given)) {
    warn([], 'must be a list of groups')
    return []
  }
  return given.flatMap((group: unknown, index) => {
    if (!isJsonObject(group) || !Array.isArray(group.hooks)) {
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
      return readHookEntry(entry, { root, warn: (inner, message) => warn([...place, ...inner], message) }) ?? []
    })
    return [{ matcher, entries }]
  })
}

/** Uses the explicit type, or derives it from the fields. */
function readHookEntry(entry: unknown, { root, warn }: GroupPlace): HookEntry | null {
  if (!isJsonObject(entry)) {
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
  { known, at, warn }: { known: readonly string[]; at: readonly PropertyKey[]; warn: HookWarn },
): void {
  for (const name of Object.keys(object)) if (!known.includes(name)) warn([...at, name], `${name} is not read`)
}

/** In a session hooks start in the agent's folder, which has no file of the package; tests start in the package's folder. */
function warnRelative(command: string, { root, warn }: GroupPlace): void {
  const own = command.split(/[\s"'`;|&()<>=]+/).find((word) => /^[\w.]/.test(word) && findOwnFile(root, word) !== null)
  if (own === undefined) return
  warn(['command'], `names ${own} without \${PACKAGE_ROOT}/ before it: in a session it starts in another folder`)
}

/** Returns Claude Code's form: joins events with the same name and drops empty groups. */
export function toClaudeHooks({ groups }: AamHooks): Hooks {
  const made: Hooks = {}
  for (const [event, each] of Object.entries(groups)) {
    const name = claudeEvents[event] ?? event
    const all = each.filter(({ entries }) => entries.length > 0)
    if (all.length === 0) continue
    made[name] ??= []
    made[name].push(
      ...all.map(({ matcher, entries }) => ({
        ...(matcher !== null && { matcher }),
        hooks: entries.map((entry) => addPackageNames(entry, event)),
      })),
    )
  }
  return made
}

/** Adds the package's event name and camelCase copies of the fields to the hook's input. */
function addPackageNames(entry: HookEntry, event: string): HookEntry {
  if (entry.command === undefined) return entry
  return { ...entry, command: translate(entry.command, event) }
}

function translate(command: string, event: string): string {
  return `${translatorPrefix} ${event} ${quoteWord(command)}`
}

/** Returns the package's own command if there is nothing else around it than `translate` puts there; otherwise all of it. */
export function stripTranslator(command: string): string {
  if (!command.startsWith(translatorPrefix)) return command
  const [event = '', own = ''] = splitWords(command.slice(translatorPrefix.length))
  return /^[\w-]+$/.test(event) && translate(own, event) === command ? own : command
}

/**
 * Runs the command with its input in both dialects; fields of a tool's input are the same in both. A block is also written as a JSON
 * decision: for one without it, Claude Code shows the agent the command, which is this wrapper. Must not contain single quotes.
 */
const translator = [
  'const said = JSON.parse(require("fs").readFileSync(0, "utf8"))',
  'const [event, command] = process.argv.slice(1)',
  'const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())',
  'const both = Object.fromEntries(Object.entries(said).map(([name, value]) => [camel(name), value]))',
  'const input = JSON.stringify({ ...both, ...said, hookEventName: event })',
  'const maxBuffer = 64 * 1024 * 1024',
  'const end = require("child_process").spawnSync("/bin/sh", ["-c", command], { input, encoding: "utf8", maxBuffer })',
  'const block = { decision: "block", reason: end.stderr.trim() || "the hook says no, without a reason" }',
  'process.stderr.write(end.stderr)',
  'process.stdout.write(end.status === 2 ? JSON.stringify(block) : end.stdout)',
  'process.exitCode = end.status ?? 1',
].join('; ')

const translatorPrefix = `export PACKAGE_ROOT="\${ENVIRONMENT_DIR}" CLAUDE_PLUGIN_ROOT="\${ENVIRONMENT_DIR}"\nnode -e '${translator}'`
