/** Which hooks an event meets, by Claude Code's matchers. */
import type { HookEntry, Hooks } from '../../../schemas/environment.ts'
import { findPattern } from '../../base/bounded.ts'

interface Occasion {
  event: string
  /** null: the event is about none. */
  tool: string | null
}

interface HooksMet {
  /** Each command once. */
  entries: HookEntry[]
  /** Why of a matcher nobody knows whether it fits; its hooks are not among the entries. */
  unknown: string[]
}

/** The command hooks of an event that fit the tool. Rejects only when aborted. */
export async function hooksFor(hooks: Hooks, { event, tool }: Occasion, signal: AbortSignal): Promise<HooksMet> {
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
 * Empty or * fits all; plain names joined by | must be the whole name; anything else is a regular expression, which may take for
 * ever: then a text says so. Rejects only when aborted.
 */
export async function fitsMatcher(matcher: string, tool: string, signal: AbortSignal): Promise<boolean | string> {
  if (matcher === '' || matcher === '*') return true
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(tool)
  const key = JSON.stringify([matcher, tool])
  const found = known.get(key) ?? (await tried(matcher, tool, signal))
  if (known.size >= mostKnown) known.clear()
  known.set(key, found)
  return found
}

/** A thread for each call would take longer than most calls. */
const known = new Map<string, boolean | string>()
const mostKnown = 1000

async function tried(matcher: string, tool: string, signal: AbortSignal): Promise<boolean | string> {
  const found = await findPattern({ pattern: matcher, flags: '', texts: [tool] }, signal)
  if ('value' in found) return found.value.index === 0
  return found.by === 'limit' && `the matcher ${matcher.slice(0, 100)} on ${tool.slice(0, 100)}: ${found.error}`
}
