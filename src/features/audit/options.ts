/** The flags of `audit`. */
import { configFlags, seedFlag } from '../../cli/commands/options/common_flags.ts'
import { type Flags, free, list, numeric, text } from '../../cli/commands/options/flag.ts'

export const auditFlags = {
  sample: {
    ...numeric('sample', (value) => value > 0 && value <= 100, 'per cent above 0, at most 100', 10),
    default: 10,
    trust: free,
    describe: 'per cent of decisions to review, per verdict and configuration',
  },
  ...seedFlag('the sample'),
  label: { ...list, describe: 'record a review: ID=agree, ID=disagree or ID=undo (repeatable)' },
  import: { ...text, describe: 'import reviews saved by the report page (audit_lines.jsonl)' },
  ...configFlags('ask and write nothing'),
} satisfies Flags
