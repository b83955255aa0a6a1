/** The flags for a pipeline: gates and reports. */

import type { Options } from 'yargs'
import { refused } from '../refused.ts'

const verdicts = ['hurts', 'no_difference', 'inconclusive', 'helps']

export const gateFlags = {
  gate: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'exit 1 unless this holds of benchmark.json, such as "ci_low > 0" (repeatable; docs/ci.md)',
  },
  'fail-on': {
    type: 'string',
    requiresArg: true,
    default: [] as string[],
    defaultDescription: 'none',
    coerce: verdictsOf,
    describe: 'exit 1 on these verdicts for these cases: hurts, no_difference, inconclusive, helps (with commas)',
  },
  reporter: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'reports for others, with commas: junit:<path>, markdown:<path>, json:<path>, github',
  },
} satisfies Record<string, Options>

function verdictsOf(value: unknown): string[] {
  const given = (Array.isArray(value) ? value : [value]).flatMap((one) => String(one).split(','))
  const names = given.map((one) => one.trim()).filter((one) => one !== '')
  const odd = names.filter((one) => !verdicts.includes(one))
  // the parser hands on the message alone, so that the way out is in it
  if (odd.length > 0) throw refused(`--fail-on: ${odd.join(', ')} is no verdict`, `there are ${verdicts.join(', ')}`)
  return names
}
