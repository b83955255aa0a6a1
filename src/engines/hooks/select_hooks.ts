/** Selects the hooks of an event, by Claude Code's matchers. */
import type { HookEntry, Hooks } from '../../../schemas/environment.ts'
import { findPattern } from '../../base/process/find_pattern.ts'

interface Occasion {
  event: string
  /** null: the event is not about a tool. */
  tool: string | null
}

interface SelectedHooks {
  /** Each command once. */
  entries: HookEntry[]
  /** Why it is unknown whether a matcher fits; hooks of such matchers are not among the entries. */
  unknown: string[]
}

/** The command hooks of an event that fit the tool. Rejects only when aborted. */
export async function selectHooks(
  hooks: Hooks,
  { event, tool }: Occasion,
  signal: AbortSignal,
): Promise<SelectedHooks> {
  signal.throwIfAborted()
  const all: HookEntry[] = []
  const unknown: string[] = []
  for (const { matcher = '', hooks: entries } of hooks[event] ?? []) {
    const fit = tool === null ? true : await fitsMatcher(matcher, tool, signal)
    if (typeof fit === 'string') unknown.push(fit)
    else if (fit) all.push(...entries.filter(({ type }) => type === 'command'))
  }
  return { entries: [...new Map(all.map((entry) => [entry.command, entry])).values()], unknown }
}

/**
 * Empty or * fits every tool; plain names joined by | must be the whole name; anything else is a regular expression. Returns a text
 * with the reason if the expression takes too long. Rejects only when aborted.
 */
export async function fitsMatcher(matcher: string, tool: string, signal: AbortSignal): Promise<boolean | string> {
  if (matcher === '' || matcher === '*') return true
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(tool)
  const found = await findPattern({ pattern: matcher }, [tool], signal)
  if ('value' in found) return found.value.index === 0
  return found.by === 'limit' && `the matcher ${matcher.slice(0, 100)} on ${tool.slice(0, 100)}: ${found.error}`
}
