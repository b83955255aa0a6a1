/** Flags for a pipeline: gates and reports. */
import type { Verdict } from '../../../../schemas/benchmark_statistics.ts'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'
import { type Flags, free, insidePath, list, refuseValue } from './flag.ts'

const verdicts = {
  hurts: true,
  no_difference: true,
  inconclusive: true,
  helps: true,
  too_easy: true,
  too_hard: true,
  not_comparable: true,
  incomplete: true,
} satisfies Record<Verdict, true>

const failures = [...Object.keys(verdicts), 'suspicious']

export const gateFlags = {
  gate: {
    ...list,
    section: 'Output and CI',
    trust: free,
    forAll: true,
    describe: 'exit 1 unless this holds, such as "ci_low > 0"',
  },
  'fail-on': {
    ...list,
    defaultDescription: 'none',
    coerce: (value: unknown) => parseFailing(value, 'verdict', failures),
    section: 'Output and CI',
    trust: free,
    forAll: true,
    describe: 'exit 1 on these verdicts, or on suspicious text',
  },
  reporter: {
    ...list,
    section: 'Output and CI',
    trust: insidePath,
    forAll: true,
    describe: 'also write junit:, markdown: or json:<path>, or github',
  },
} satisfies Flags

/** The values of --fail-on: separated by commas, or given several times. `what`: what they name. Throws for one that is not in `known`. */
export function parseFailing<T extends string>(value: unknown, what: string, known: readonly T[]): T[] {
  const given = (Array.isArray(value) ? value : [value]).flatMap((one) => String(one).split(','))
  const names = given.map((one) => one.trim()).filter((one) => one !== '')
  const isKnown = (name: string): name is T => known.some((one) => one === name)
  const odd = names.filter((one) => !isKnown(one))
  if (odd.length > 0)
    throw refuseValue(`--fail-on: unknown ${what} "${odd.join('", "')}"`, suggestChoice(odd[0] ?? '', known))
  return names.filter(isKnown)
}
