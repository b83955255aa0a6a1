/** A card with a rate, its interval and what it covers. */
import type { ComponentChildren } from 'preact'

interface Props {
  name: string
  value: string
  /** The 95% confidence interval; null: none. */
  range: string | null
  children?: ComponentChildren
}

export function Figure({ name, value, range, children }: Props) {
  return (
    <div class="card scope">
      <h3>{name}</h3>
      <p class="figure">
        {value}
        {range !== null && <span class="range">95% CI {range}</span>}
      </p>
      <p class="hint">{children}</p>
    </div>
  )
}
