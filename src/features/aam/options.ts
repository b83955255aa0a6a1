/** The flags of `test`. */
import { commonFlags, configFlags } from '../../cli/commands/options/common_flags.ts'
import { type Flags, onOff, text } from '../../cli/commands/options/flag.ts'
import { gateFlags } from '../../cli/commands/options/gate_flags.ts'
import { sandboxFlags } from '../../cli/commands/options/sandbox_flags.ts'

export const testFlags = {
  skill: { ...text, describe: 'only tests of this skill' },
  hooks: { ...onOff, describe: 'only tests of hooks (and of --skill)' },
  event: { ...text, describe: 'only tests of this hook event, such as pre-tool-use' },
  case: { ...text, section: 'Common', describe: 'only this file: its name without .yaml' },
  shard: commonFlags.shard,
  reporter: gateFlags.reporter,
  ...sandboxFlags,
  ...configFlags('run nothing'),
} satisfies Flags
