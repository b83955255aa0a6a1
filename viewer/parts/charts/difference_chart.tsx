/** Draws a difference with its interval, from -100 to +100 points: a square for the mean, a line for the interval. */
import type { PageDifference } from '../../../schemas/page.ts'

interface Props {
  mean: number | null
  low: number | null
  high: number | null
  /** The same as text. */
  shown: PageDifference | undefined
  /** For a scope: drawn larger. */
  large?: boolean
}

function place(value: number): string {
  return `${(50 + 46 * Math.max(-1, Math.min(1, value))).toFixed(2)}%`
}

export function Forest({ mean, low, high, shown, large = false }: Props) {
  if (mean === null) return <span class="quiet">no difference known</span>
  const trend = mean > 0 ? 'better' : mean < 0 ? 'worse' : 'same'
  const size = large ? 14 : 10
  const interval = shown === undefined || shown.interval === '' ? '' : `, ${shown.interval}`
  return (
    <svg
      class={`forest ${trend}`}
      width="100%"
      height="24"
      role="img"
      aria-label={`${shown?.points ?? ''} points${interval}`}
    >
      <line class="rail" x1="4%" x2="96%" y1="12" y2="12" />
      <line class="zero" x1="50%" x2="50%" y1="2" y2="22" />
      {low !== null && high !== null && (
        <g class="interval">
          <line x1={place(low)} x2={place(high)} y1="12" y2="12" />
          <line class="end" x1={place(low)} x2={place(low)} y1="7" y2="17" />
          <line class="end" x1={place(high)} x2={place(high)} y1="7" y2="17" />
        </g>
      )}
      <svg x={place(mean)} y="12" width="1" height="1" overflow="visible" aria-hidden="true">
        <rect class="mean" x={-size / 2} y={-size / 2} width={size} height={size} rx="2" />
      </svg>
    </svg>
  )
}
