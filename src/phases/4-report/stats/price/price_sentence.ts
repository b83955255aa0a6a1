/** The sentence of the verdict with a price. */
import type { Price } from '../../../../../schemas/price.ts'
import { formatCount } from '../../text/format.ts'
import { formatFixed } from '../numbers/round.ts'

type Described = Omit<Price, 'sentence'>

/** "With its price: better but dearer, cost per run × 1.40, 95% CI [1.21, 1.62]; each further point costs $0.0004, at most $0.0009." */
export function priceSentence(price: Described): string {
  if (price.tests.length === 0) return `With its price: no verdict, ${price.rule}.`
  return `With its price: ${verdictText(price)}.`
}

function verdictText(price: Described): string {
  const ratio = ratioText(price)
  const points = Number((100 * price.margin).toFixed(2))
  const loss = `${points} ${points === 1 ? 'point' : 'points'}`
  switch (price.verdict) {
    case 'better':
      return `better, ${ratio}`
    case 'better_but_dearer':
      return `better but dearer, ${ratio}${perPointText(price)}`
    case 'as_good_and_cheaper':
      return `as good and cheaper, ${ratio}; a loss of ${loss} or more is ruled out`
    case 'worse':
      return `worse, ${ratio}`
    case 'inconclusive':
      return `inconclusive, ${openText(price, loss)}: ${ratio}${perPointText(price)}`
  }
}

function openText({ tests, margin }: Described, loss: string): string {
  const isShown = (name: Price['tests'][number]['name']) => tests.some((one) => one.name === name && one.rejected)
  const increase = `${Number((100 * margin).toFixed(2))}%`
  if (isShown('rate_higher')) return `better, but a price that is higher by ${increase} is neither shown nor ruled out`
  if (isShown('price_lower')) return `cheaper, but a loss of ${loss} or more is not ruled out`
  if (isShown('rate_within_margin')) return `a loss of ${loss} or more is ruled out, but a lower price is not shown`
  if (isShown('price_higher')) return 'dearer, and a higher pass rate is not shown'
  return 'neither a difference in the pass rate nor one in the price is shown'
}

/** "cost per run × 1.40, 95% CI [1.21, 1.62]". */
function ratioText({ unit, ratio, ci_low, ci_high, alpha }: Described): string {
  const what = unit === 'tokens' ? 'tokens' : 'cost'
  const level = Number((100 * (1 - alpha)).toFixed(1))
  const interval =
    ci_low === null || ci_high === null
      ? ' in all runs'
      : `, ${level}% CI [${formatFixed(ci_low, 2)}, ${formatFixed(ci_high, 2)}]`
  return `${what} per run × ${formatFixed(ratio ?? 0, 2)}${interval}`
}

/** Empty: the pass rate is not shown to be higher, or the price is not higher. */
function perPointText({ unit, per_point: point }: Described): string {
  if (point === null || point.estimate <= 0) return ''
  const amounts = [point.estimate, point.at_most].map((one) => formatAmount(one, unit))
  return `; each further point costs ${amounts[0]}, at most ${amounts[1]}`
}

/** "$0.0004", "120 tokens": two significant digits below a cent. */
export function formatAmount(amount: number, unit: Price['unit']): string {
  if (unit === 'tokens') return `${formatCount(amount)} tokens`
  return `$${amount >= 0.1 ? formatFixed(amount, 2) : String(Number(amount.toPrecision(2)))}`
}
