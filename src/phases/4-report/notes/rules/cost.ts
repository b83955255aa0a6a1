/** Notes on significant differences in time, tokens and cost. */
import type { Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import { describeCandidate } from '../../benchmark/arms.ts'
import { formatFixed } from '../../stats/numbers/round.ts'
import type { NoteParts } from './note_parts.ts'

const metrics = { time_seconds: 'time', tokens: 'tokens', cost_usd: 'cost' } as const
/** Three ratios are tested at once: an interval counts if it excludes 1 even when this much wider (on the log scale). */
const widening = 1.5

/** "With the skill runs take 1.80× the time (95% CI 1.52 to 2.13) and 2.10× the tokens (1.90 to 2.32)." */
export function costNotes({ statistics, arms }: NoteParts): string[] {
  if (!statistics?.scopes) return []
  const level = Number((100 * (1 - statistics.alpha)).toFixed(1))
  const parts = Object.entries(metrics).flatMap(([key, name]) => {
    const ratio = statistics.ratios[key as keyof Statistics['ratios']]
    if (!ratio || ratio.ci_low === null || ratio.ci_high === null || !isClear(ratio.ratio, ratio.ci_low, ratio.ci_high))
      return []
    const range = `${level}% CI ${formatFixed(ratio.ci_low, 2)} to ${formatFixed(ratio.ci_high, 2)}`
    return `${formatFixed(ratio.ratio, 2)}× the ${name} (${range})`
  })
  if (parts.length === 0) return []
  const subject = describeCandidate(arms).replace(/^w/, 'W')
  return [`${subject} runs take ${[parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')}.`]
}

function isClear(ratio: number, low: number, high: number): boolean {
  const centre = Math.log(ratio)
  return centre > 0
    ? centre - widening * (centre - Math.log(low)) > 0
    : centre + widening * (Math.log(high) - centre) < 0
}
