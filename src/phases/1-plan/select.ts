/** Picks the cases that the user named. */
import picomatch from 'picomatch'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { nearest } from '../../base/nearest.ts'

export function selectCases(suite: Suite, wanted: readonly string[]): Suite {
  if (wanted.length === 0) return suite
  const names = (one: Suite['cases'][number]) => [
    String(one.eval_id),
    one.eval_name,
    ...(one.eval_key ? [one.eval_key] : []),
  ]
  for (const text of wanted) {
    const matches = picomatch(text)
    if (suite.cases.some((one) => names(one).some((name) => name === text || matches(name)))) continue
    throw new UserError(
      `--case ${text}: no such case`,
      `nearest: ${nearest(text, suite.cases.flatMap(names)).join(', ')}`,
    )
  }
  const matchers = wanted.map((text) => picomatch(text))
  const cases = suite.cases.filter((one) =>
    names(one).some((name) => wanted.includes(name) || matchers.some((m) => m(name))),
  )
  return { ...suite, cases }
}
