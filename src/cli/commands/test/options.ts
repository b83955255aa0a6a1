/** The flags of `test`. */
import { commonFlags, configFlags } from '../options/common_flags.ts'
import { type Flags, onOff, text } from '../options/flag.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

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
