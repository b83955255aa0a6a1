/** Parses the bullets of Pass criteria: minimum scores of dimensions, and whether hard fails are forbidden. */
import type { GoldenCriteria } from '../../../../../schemas/golden.ts'
import { dimensionKey } from '../../../../../schemas/rubric.ts'

/** Bullets that code cannot decide go to the judge, who reads the section as written. */
export function readCriteria(section: string, dimensions: readonly string[]): GoldenCriteria {
  const criteria: GoldenCriteria = { thresholds: [], no_hard_fails: false, left_to_judge: [] }
  for (const line of section.split('\n')) {
    const bullet = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)?.[1]?.replaceAll(/[*`]/g, '').trim()
    if (bullet === undefined || bullet === '') continue
    const threshold = parseThreshold(bullet, dimensions)
    if (threshold !== null) criteria.thresholds.push(threshold)
    else if (/^no hard[- ]fails?\b/i.test(bullet)) criteria.no_hard_fails = true
    else criteria.left_to_judge.push(bullet)
  }
  return criteria
}

/** `dim: ≥ 4 (…)`, `dim >= 4`, `dim: 5 (…)`: the last is also a minimum, since 5 is the maximum. */
function parseThreshold(bullet: string, dimensions: readonly string[]): GoldenCriteria['thresholds'][number] | null {
  const [, name = '', sign = '', score = ''] =
    /^([\p{L}][\p{L}\p{N} _-]*?)\s*:?\s*(≥|>=|=>|>|=|==|at least)?\s*(\d(?:\.\d+)?)(?![\d.]*\d)/iu.exec(bullet) ?? []
  const key = dimensionKey(name)
  const dimension = dimensions.find((one) => dimensionKey(one) === key)
  if (dimension === undefined) return null
  const isMore = sign === '>'
  return { dimension, at_least: Number(score), ...(isMore && { more: true as const }), text: bullet }
}

/** `elegance: ≥ 4` demands a score under any name; `Mentions 4 cards` does not. */
export function isThreshold(bullet: string): boolean {
  return /^[\p{L}\p{N} _-]+?\s*(?::\s*)?(?:≥|>=|=>|>|==|=|at least)\s*\d|^[\p{L}\p{N}_-]+:\s*\d/iu.test(bullet)
}
