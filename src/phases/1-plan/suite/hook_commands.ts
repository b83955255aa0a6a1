/** Lists hooks in Claude Code's form as commands. Pure. */
import type { HookEntry } from '../../../../schemas/environment.ts'
import { stripTranslator } from '../formats/aam/hooks.ts'

type HookGroups = Readonly<Record<string, readonly { hooks: readonly HookEntry[] }[]>>

/** One command for each hook that starts something: a prompt for the agent's own model does not. */
export function hookCommands(hooks: HookGroups): { kind: 'hook'; command: string }[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups
      .flatMap((group) => group.hooks)
      .filter(({ type }) => type !== 'prompt')
      .map((entry) => ({ kind: 'hook' as const, command: `${event}: ${hookText(entry)}` })),
  )
}

/** An entry without a command calls a server or an agent, so it is shown as JSON. */
function hookText({ command, ...others }: HookEntry): string {
  return command === undefined ? JSON.stringify(others) : stripTranslator(command)
}
