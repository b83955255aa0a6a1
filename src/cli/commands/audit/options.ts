/** The flags of `audit`. */
import type { Options } from 'yargs'
import { printConfigFlag, seedFlag } from '../options/common_flags.ts'
import { refuseForm } from '../options/refused_value.ts'

export const auditFlags = {
  sample: {
    type: 'number',
    requiresArg: true,
    default: 10,
    coerce: percentage,
    describe: 'per cent of the decisions of each verdict in each arm, at least one of each',
  },
  ...seedFlag('the sample'),
  label: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'ID=agree, ID=disagree or ID=undo, without a terminal (repeatable)',
  },
  import: {
    type: 'string',
    requiresArg: true,
    describe: 'lines that a report page gave away (audit_lines.jsonl); those known already are passed over',
  },
  ...printConfigFlag('ask and write nothing'),
} satisfies Record<string, Options>

function percentage(value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 100) return value
  throw refuseForm('sample', 'per cent above 0, at most 100', 'use a number such as --sample 10')
}
