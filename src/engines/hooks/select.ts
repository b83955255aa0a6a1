/** Which hooks an event meets, by Claude Code's matchers. Pure. */
import type { HookEntry, Hooks } from '../../../schemas/environment.ts'

/** The command hooks of an event that fit the tool (null: the event is about none), each command once. */
export function hooksFor(hooks: Hooks, event: string, tool: string | null): HookEntry[] {
  const groups = (hooks[event] ?? []).filter(({ matcher }) => tool === null || fitsMatcher(matcher ?? '', tool))
  const entries = groups.flatMap((group) => group.hooks).filter(({ type }) => type === 'command')
  return [...new Map(entries.map((entry) => [entry.command, entry])).values()]
}

/** Empty or * fits all; plain names joined by | must be the whole name; anything else is a regular expression. */
export function fitsMatcher(matcher: string, tool: string): boolean {
  if (matcher === '' || matcher === '*') return true
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(tool)
  try {
    return new RegExp(matcher).test(tool)
  } catch {
    return false
  }
}
