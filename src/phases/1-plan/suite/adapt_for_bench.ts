/** Adapts a suite of any format to bench: two configurations that differ by a skill, graded by Whetstone's judge, under time limits. */
import type { LoadWarning, Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'

/** Cases about an agent or a hook cannot run, because every configuration has it. Throws UserError if no case is about a skill. */
export function adaptSuiteToBench(suite: Suite): Suite {
  const others = suite.cases.filter(({ target }) => target !== undefined && !target.startsWith('skill:'))
  if (others.length > 0 && others.length === suite.cases.length) {
    const targets = [...new Set(others.map(({ target }) => target))].join(', ')
    throw new UserError(
      `${suite.path}: its cases are about ${targets}, which bench can't compare with and without a skill`,
      `run them with whetstone eval ${suite.path}`,
    )
  }
  const cases = suite.cases.map(({ judging: _, ...one }) => {
    const isOther = one.target !== undefined && !one.target.startsWith('skill:')
    const reason = `it is about ${one.target}; whetstone eval runs it`
    return isOther ? { ...one, cannot_run: one.cannot_run ?? reason } : one
  })
  return { ...suite, cases, warnings: [...suite.warnings, ...listEvalOnlySettings(suite)] }
}

/** Warns about settings that only eval uses; bench has its own defaults, the same for every suite. */
function listEvalOnlySettings({ path: file, defaults = {}, fast_fail }: Suite): LoadWarning[] {
  const { engine, judge, timeout_seconds } = defaults
  const parts = [
    ...(engine === undefined ? [] : [`the engine ${engine} (--engine)`]),
    ...(judge === undefined ? [] : [`the judge ${judge} (--judge)`]),
    ...(timeout_seconds === undefined ? [] : [`${timeout_seconds} s for a case (--timeout)`]),
    ...(fast_fail === true ? ['no judge after a failed check'] : []),
  ]
  if (parts.length === 0) return []
  return [{ file, at: '$', message: `only eval applies these settings of the suite: ${parts.join(', ')}` }]
}

/** Default in seconds. */
export const usualTimeout = 300

/** A flag overrides the cases; null: not given. */
export function applyTimeout(flag: number | null, suite: Suite): Suite {
  return flag === null ? suite : { ...suite, cases: suite.cases.map((one) => ({ ...one, timeout_seconds: null })) }
}
