/** The flags of `test`. */
import type { Options } from 'yargs'
import { configFlags, shardFlag } from '../options/common_flags.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const testFlags = {
  skill: { type: 'string', requiresArg: true, describe: 'only tests of this skill' },
  hooks: { type: 'boolean', default: false, describe: 'only tests of hooks (and of --skill)' },
  event: { type: 'string', requiresArg: true, describe: 'only tests of this hook event, such as pre-tool-use' },
  case: { type: 'string', requiresArg: true, describe: 'only this file: its name without .yaml' },
  ...shardFlag,
  reporter: gateFlags.reporter,
  ...sandboxFlags,
  ...configFlags('run nothing'),
} satisfies Record<string, Options>
