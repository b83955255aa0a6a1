/** Who says how long a run may take: a flag, then the case, then the suite, then we. */
import type { Suite } from '../../../schemas/suite.ts'

/** Seconds, where nobody says. */
export const usualTimeout = 300

/** A flag wins over what cases say; null: there is none. */
export function timedBy(flag: number | null, suite: Suite): Suite {
  return flag === null ? suite : { ...suite, cases: suite.cases.map((one) => ({ ...one, timeout_seconds: null })) }
}
