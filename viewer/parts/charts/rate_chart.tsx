/** Draws a share with its interval, from 0 to 100%: a square for the value, a line for the interval, a tick for a threshold. */
import { displayPercent } from '../../format.ts'

interface Props {
  value: number
  low: number | null
  high: number | null
  threshold?: number
  /** The colour of the square. */
  is?: 'better' | 'worse' | 'same'
}

function place(value: number): string {
  return `${(3 + 94 * Math.max(0, Math.min(1, value))).toFixed(2)}%`
}

export function Share({ value, low, high, threshold, is = 'same' }: Props) {
  const interval = low === null || high === null ? '' : `, 95% CI ${displayPercent(low)} to ${displayPercent(high)}`
  return (
    <svg class={`forest ${is}`} width="100%" height="24" role="img" aria-label={`${displayPercent(value)}${interval}`}>
      <line class="rail" x1="3%" x2="97%" y1="12" y2="12" />
      {threshold !== undefined && <line class="zero" x1={place(threshold)} x2={place(threshold)} y1="2" y2="22" />}
      {low !== null && high !== null && (
        <g class="interval">
          <line x1={place(low)} x2={place(high)} y1="12" y2="12" />
          <line class="end" x1={place(low)} x2={place(low)} y1="7" y2="17" />
          <line class="end" x1={place(high)} x2={place(high)} y1="7" y2="17" />
        </g>
      )}
      <svg x={place(value)} y="12" width="1" height="1" overflow="visible" aria-hidden="true">
        <rect class="mean" x="-5" y="-5" width="10" height="10" rx="2" />
      </svg>
    </svg>
  )
}
