/** Draws an effect as a bar that begins at a line for 0, to the right if positive. */

interface Props {
  effect: number
  /** The largest effect that fits; greater than 0. */
  scale: number
}

/** The text next to it has the number. */
export function EffectBar({ effect, scale }: Props) {
  const length = 48 * Math.min(1, Math.abs(effect) / scale)
  const from = effect < 0 ? 50 - length : 50
  return (
    <svg class={`effect-bar ${effect > 0 ? 'better' : 'worse'}`} width="100%" height="16" aria-hidden="true">
      <rect class="track" width="100%" height="16" rx="3" />
      <rect class="level" x={`${from.toFixed(2)}%`} y="3" width={`${length.toFixed(2)}%`} height="10" rx="2" />
      <line class="zero" x1="50%" x2="50%" y1="0" y2="16" />
    </svg>
  )
}
