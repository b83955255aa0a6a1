/** Decides a run's time limit: a flag wins over the case, the case over the suite, the suite over the default. */
import type { Suite } from '../../../../schemas/suite.ts'

/** Default in seconds. */
export const usualTimeout = 300

/** A flag overrides the cases; null: not given. */
export function applyTimeout(flag: number | null, suite: Suite): Suite {
  return flag === null ? suite : { ...suite, cases: suite.cases.map((one) => ({ ...one, timeout_seconds: null })) }
}
