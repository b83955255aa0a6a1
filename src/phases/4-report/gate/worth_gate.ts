/** The gate `worth`: whether the skill is worth its price. */
import type { Price } from '../../../../schemas/price.ts'
import { UserError } from '../../../base/errors/error.ts'
import { formatAmount } from '../stats/price/price_sentence.ts'

const form = /^\s*worth\s*(?:<=\s*\$?(?<limit>\d+\.?\d*|\.\d+)(?:\s+per\s+point)?\s*)?$/

/** `worth`, or `worth <= 0.05` dollars per point. null: another gate. Throws UserError for a `worth` that is neither. */
export function parseWorthGate(text: string) {
  if (!/^\s*worth(?![\w.])/.test(text)) return null
  const found = form.exec(text)
  if (found === null)
    throw new UserError(
      `--gate ${JSON.stringify(text)}: worth takes no value but a limit`,
      'use --gate worth, or --gate "worth <= 0.05": at most 0.05 dollars more per run for each point',
    )
  const limit = found.groups?.limit
  const path = ['statistics', 'price', 'verdict']
  return {
    text: text.trim(),
    path,
    operator: '==' as const,
    limit: 'better',
    mostPerPoint: limit === undefined ? null : Number(limit),
  }
}

/** Passes on `better` and `as_good_and_cheaper`. With a limit also where a higher rate costs at most that much for each point. */
export function judgeWorth(
  price: Price | undefined,
  mostPerPoint: number | null,
): { passed: boolean; message: string; value: string | null } {
  if (price === undefined) return { passed: false, value: null, message: 'not in this benchmark' }
  const { verdict, per_point: point, unit, tests, rule } = price
  const value = verdict
  if (verdict === 'better' || verdict === 'as_good_and_cheaper')
    return { passed: true, value, message: `is ${verdict}` }
  if (tests.length === 0) return { passed: false, value, message: `no verdict: ${rule}` }
  // worse has no price per point: the rate is not higher
  if (point === null) return { passed: false, value, message: `is ${verdict}` }
  const most = `each further point costs at most ${formatAmount(point.at_most, unit)}`
  if (mostPerPoint === null)
    return { passed: false, value, message: `is ${verdict}; ${most}: accept it with "worth <= …"` }
  if (unit !== 'cost_usd')
    return { passed: false, value, message: `is ${verdict}; the price is in tokens, and the limit in dollars` }
  return { passed: point.at_most <= mostPerPoint, value, message: `is ${verdict}; ${most}` }
}
