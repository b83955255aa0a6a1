/** What is said of runs that are too old to be compared with the others, and of their tests for drift. */
import type { DriftTest, OlderRuns } from '../../../../../schemas/older_runs.ts'
import { formatPercent, formatPlural, pText } from '../../text/format.ts'

interface OlderRunsCounts {
  configuration: string
  older: number
  again: number
  tested: boolean
  baseline_age_seconds: number
}

/** "12 without_skill runs are more than 24 h older than what they are compared with: 4 run again to test for drift". */
export function olderRunsText({
  configuration,
  older,
  again,
  tested,
  baseline_age_seconds: age,
}: OlderRunsCounts): string {
  const runs = `${formatPlural(older, `${configuration} run`)} ${older === 1 ? 'is' : 'are'}`
  const what = tested ? `${again} run again, to test for drift` : `${again === older ? 'all' : again} run again`
  return `${runs} more than ${ageText(age * 1000)} older than the runs compared with, or from another engine: ${what}`
}

/** "without_skill: no drift found (33% before, 33% in 4 runs again, p = 1)". */
export function driftTestText({ configuration, result, ...test }: DriftTest): string {
  const { pass_rate_older: before, pass_rate_new: now, sampled, p_value, checks_flipped: flipped } = test
  const checks = flipped === 0 ? '' : `, ${formatPlural(flipped, 'check')} decided differently`
  const rates = before === null || now === null ? '' : `${formatPercent(before)} before, ${formatPercent(now)} in `
  const basis = `${rates}${formatPlural(sampled, 'run')} again${p_value === null ? '' : `, ${pText(p_value)}`}${checks}`
  switch (result) {
    case 'no_drift':
      return `${configuration}: no drift found (${basis})`
    case 'drift':
      return `${configuration}: results have drifted (${basis}), so all older runs run again`
    case 'engine_changed':
      return `${configuration}: older runs are from another model or engine version, so they run again`
    case 'not_testable':
      return `${configuration}: too few graded runs to test for drift, so all older runs run again`
  }
}

/** One line for each test, and why the benchmark is not concurrent. */
export function olderRunsTexts({ reason, tests }: OlderRuns): string[] {
  return [...(reason === null ? [] : [`not concurrent: ${reason}`]), ...tests.map(driftTestText)]
}

/** "24 h", "30 s". */
export function ageText(ms: number): string {
  const hours = ms / 3_600_000
  return hours > 0 && hours < 1 ? `${Math.round(ms / 1000)} s` : `${Math.round(hours * 10) / 10} h`
}
