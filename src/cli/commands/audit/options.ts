/** The flags of `audit`. */
import type { Options } from 'yargs'
import { configFlags, seedFlag } from '../options/common_flags.ts'
import { refuseForm } from '../options/refused_value.ts'

export const auditFlags = {
  sample: {
    type: 'number',
    requiresArg: true,
    default: 10,
    coerce: percentage,
    describe: 'per cent of decisions to review, per verdict and configuration',
  },
  ...seedFlag('the sample'),
  label: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'record a review: ID=agree, ID=disagree or ID=undo (repeatable)',
  },
  import: {
    type: 'string',
    requiresArg: true,
    describe: 'import reviews saved by the report page (audit_lines.jsonl)',
  },
  ...configFlags('ask and write nothing'),
} satisfies Record<string, Options>

function percentage(value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 100) return value
  throw refuseForm('sample', 'per cent above 0, at most 100', 'use a number such as --sample 10')
}
