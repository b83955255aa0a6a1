/** The flags of `test`. */
import type { Options } from 'yargs'

export const testFlags = {
  skill: { type: 'string', requiresArg: true, describe: 'only tests of this skill' },
  hooks: { type: 'boolean', default: false, describe: 'only tests of hooks' },
  event: { type: 'string', requiresArg: true, describe: 'only tests of hooks of this event, such as pre-tool-use' },
  case: { type: 'string', requiresArg: true, describe: 'only this file: its name without .yaml' },
} satisfies Record<string, Options>
