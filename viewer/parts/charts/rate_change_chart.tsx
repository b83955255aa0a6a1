/** Draws how a rate changed, from 0 to 100%: a circle for before, a square for after, a line between them. */

interface Props {
  before: number
  after: number
  label: string
}

function place(value: number): string {
  return `${(3 + 94 * Math.max(0, Math.min(1, value))).toFixed(2)}%`
}

export function RateChangeChart({ before, after, label }: Props) {
  const trend = after > before ? 'better' : after < before ? 'worse' : 'same'
  return (
    <svg class={`forest ${trend}`} width="100%" height="24" role="img" aria-label={label}>
      <line class="rail" x1="3%" x2="97%" y1="12" y2="12" />
      <g class="interval">
        <line x1={place(before)} x2={place(after)} y1="12" y2="12" />
      </g>
      <circle class="before" cx={place(before)} cy="12" r="5" />
      <svg x={place(after)} y="12" width="1" height="1" overflow="visible" aria-hidden="true">
        <rect class="mean" x="-5" y="-5" width="10" height="10" rx="2" />
      </svg>
    </svg>
  )
}
